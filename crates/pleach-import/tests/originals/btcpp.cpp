// What trees of BehaviorTree.CPP do in six ticks: reads rows of tree, answers and changes, and adds what each tick did.
// In the folder of its sources, built as a static library:
//   g++ -std=c++17 -I include btcpp.cpp libbehaviortree_cpp.a .. -lpthread && ./a.out < rows.txt > btcpp.txt
#include <iostream>
#include <map>
#include <sstream>

#include "behaviortree_cpp/bt_factory.h"

using namespace BT;

static std::map<std::string, std::pair<std::string, size_t>> answers;
static std::vector<std::string> said;

static NodeStatus ask(const std::string& leaf) {
  auto& [letters, next] = answers.at(leaf);
  const char letter = letters[std::min(next++, letters.size() - 1)];
  said.push_back(leaf + ":" + letter);
  return letter == 'S' ? NodeStatus::SUCCESS : letter == 'F' ? NodeStatus::FAILURE : NodeStatus::RUNNING;
}

struct Leaf : ActionNodeBase {
  using ActionNodeBase::ActionNodeBase;
  static PortsList providedPorts() { return {}; }
  NodeStatus tick() override { return ask(registrationName()); }
  void halt() override {
    if (status() == NodeStatus::RUNNING) said.push_back(registrationName() + "!");
    resetStatus();
  }
};

struct Condition : ConditionNode {
  using ConditionNode::ConditionNode;
  static PortsList providedPorts() { return {}; }
  NodeStatus tick() override { return ask(registrationName()); }
};

static std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

int main() {
  for (std::string row; std::getline(std::cin, row);) {
    auto fields = split(row, '\t');
    fields.resize(3);
    std::string xml = fields[0];
    for (auto& letter : xml)
      if (letter == '\'') letter = '"';
    BehaviorTreeFactory factory;
    answers.clear();
    for (const auto& it : split(fields[1], ' ')) {
      const auto name = it.substr(0, it.find('='));
      answers[name] = {it.substr(it.find('=') + 1), 0};
      if (name[0] == 'C') factory.registerNodeType<Condition>(name);
      else factory.registerNodeType<Leaf>(name);
    }
    factory.registerBehaviorTreeFromText("<root BTCPP_format=\"4\"><BehaviorTree ID=\"T\">" + xml + "</BehaviorTree></root>");
    auto keys = Blackboard::create();
    keys->set("go", false);
    keys->set("far", false);
    std::string ticks;
    try {
      auto tree = factory.createTree("T", keys);
      for (int tick = 1; tick <= 6; tick++) {
        said.clear();
        for (const auto& it : split(fields[2], ' ')) {
          const auto at = it.find(':'), to = it.find('=');
          if (std::stoi(it.substr(0, at)) == tick) keys->set(it.substr(at + 1, to - at - 1), it.substr(to + 1) == "true");
        }
        const auto status = tree.tickExactlyOnce();
        if (status == NodeStatus::SUCCESS) said.push_back("=S");
        if (status == NodeStatus::FAILURE) said.push_back("=F");
        if (status == NodeStatus::SKIPPED) said.push_back("=K");
        if (tick > 1) ticks += "|";
        for (size_t at = 0; at < said.size(); at++) ticks += (at ? " " : "") + said[at];
      }
    } catch (const std::exception& error) {
      ticks = std::string("refused: ") + error.what();
      for (auto& letter : ticks)
        if (letter == '\n') letter = ' ';
    }
    std::cout << row << '\t' << ticks << '\n';
  }
}
