class_name IsPlayerNear extends ConditionLeaf

@export var distance := 10.0
