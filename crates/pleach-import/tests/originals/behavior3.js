// What trees of behavior3js do in six ticks: reads rows of tree, answers and changes, and adds what each tick did.
//   npm install behavior3js@0.2.2 && python3 rows.py behavior3 1 400 | node behavior3.js > behavior3.txt
const path = require('path')
const b3 = require(path.resolve('node_modules/behavior3js/libs/behavior3-0.2.2.js'))
// Its repeaters look for it there.
globalThis.b3 = b3

let answers, said

function leaf(name) {
  const base = name[0] === 'C' ? b3.Condition : b3.Action
  return b3.Class(base, {
    name,
    tick() {
      const it = answers[name]
      const letter = it.letters[Math.min(it.next++, it.letters.length - 1)]
      said.push(`${name}:${letter}`)
      this.runs = letter === 'R'
      return { S: b3.SUCCESS, F: b3.FAILURE, R: b3.RUNNING }[letter]
    },
    close() {
      if (this.runs) said.push(`${name}!`)
      this.runs = false
    },
  })
}

function play(row) {
  const [tree, given] = row.split('\t')
  answers = {}
  const names = {}
  for (const it of given.split(' ')) {
    const [name, letters] = it.split('=')
    answers[name] = { letters, next: 0 }
    names[name] = leaf(name)
  }
  const data = { title: 'T', root: '1', nodes: {} }
  const open = []
  for (const [, end, name, fields, alone] of tree.matchAll(/<(\/?)(\w+)([^>]*?)(\/?)>/g)) {
    if (end) {
      open.pop()
      continue
    }
    const id = String(Object.keys(data.nodes).length + 1)
    const node = { id, name, title: name, properties: {} }
    for (const [, key, value] of fields.matchAll(/(\w+)='(\d+)'/g)) node.properties[key] = Number(value)
    data.nodes[id] = node
    const above = open[open.length - 1]
    if (above) {
      const isOne = b3[above.name].prototype.category === b3.DECORATOR
      isOne ? (above.child = id) : (above.children = above.children || []).push(id)
    }
    if (!alone) open.push(node)
  }
  const made = new b3.BehaviorTree()
  made.load(data, names)
  const blackboard = new b3.Blackboard()
  const ticks = []
  for (let tick = 1; tick <= 6; tick++) {
    said = []
    const status = made.tick({}, blackboard)
    if (status === b3.SUCCESS) said.push('=S')
    if (status === b3.FAILURE) said.push('=F')
    ticks.push(said.join(' '))
  }
  return `${row}\t${ticks.join('|')}`
}

for (const row of require('fs').readFileSync(0, 'utf8').split('\n')) if (row) console.log(play(row))
