// An Oclgrind plugin: every access of global memory, counted by instruction and buffer, with its steps.
//
// One JSON object a line goes to the file that BURSTLINE_TRACE names: the place in the text, the operation, the
// buffer's number, executions, bytes, and how often the address moved by each distance: from one execution to the next
// of the same work-item ("inner"), and between the first executions of neighbouring work-items ("between").
//
// Operations: l and s are loads and stores, a and b what an atomic loads and stores, c and d the loads and stores of
// copies that a work-group makes together. "said" are the simulator's messages, by how they begin, with how often. The
// file holds the last kernel that ran.

#include <oclgrind/Context.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>
#include <oclgrind/common.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

using namespace oclgrind;

namespace
{
const size_t MOST_STEPS = 4096; // different distances that are kept apart
const size_t MOST_PRINTED = 8;

using Steps = std::map<long long, size_t>;

struct Seen
{
  size_t executions = 0, bytes = 0;
  std::unordered_map<size_t, size_t> last, times;
  std::map<size_t, size_t> first;
  Steps inner;
};

struct Key
{
  const llvm::Instruction* instruction;
  char op;
  size_t buffer;
  bool operator<(const Key& o) const
  {
    return std::tie(instruction, op, buffer) < std::tie(o.instruction, o.op, o.buffer);
  }
};

template <typename Map> void count(Map& steps, const typename Map::key_type& by)
{
  auto found = steps.find(by);
  if (found != steps.end())
    found->second++;
  else if (steps.size() < MOST_STEPS)
    steps[by] = 1;
}

void print(std::ostream& out, const char* name, const Steps& steps)
{
  std::vector<std::pair<size_t, long long>> order;
  for (auto& step : steps)
    order.push_back({step.second, step.first});
  std::sort(order.rbegin(), order.rend());
  out << ",\"" << name << "\":[";
  for (size_t i = 0; i < order.size() && i < MOST_PRINTED; i++)
    out << (i ? "," : "") << "[" << order[i].second << "," << order[i].first << "]";
  out << "]";
}

class Traces : public Plugin
{
public:
  explicit Traces(const Context* context) : Plugin(context) {}

  void memoryLoad(const Memory* m, const WorkItem* w, size_t a, size_t n) override { see(m, w, 'l', a, n); }
  void memoryStore(const Memory* m, const WorkItem* w, size_t a, size_t n, const uint8_t*) override
  {
    see(m, w, 's', a, n);
  }
  void memoryAtomicLoad(const Memory* m, const WorkItem* w, AtomicOp, size_t a, size_t n) override
  {
    see(m, w, 'a', a, n);
  }
  void memoryAtomicStore(const Memory* m, const WorkItem* w, AtomicOp, size_t a, size_t n) override
  {
    see(m, w, 'b', a, n);
  }
  void memoryLoad(const Memory* m, const WorkGroup*, size_t a, size_t n) override { see(m, nullptr, 'c', a, n); }
  void memoryStore(const Memory* m, const WorkGroup*, size_t a, size_t n, const uint8_t*) override
  {
    see(m, nullptr, 'd', a, n);
  }
  void memoryAllocated(const Memory* m, size_t a, size_t n, cl_mem_flags, const uint8_t*) override
  {
    if (m->getAddressSpace() == AddrSpaceGlobal || m->getAddressSpace() == AddrSpaceConstant)
      buffers.push_back({m->extractBuffer(a), n});
  }
  void memoryDeallocated(const Memory* m, size_t a) override
  {
    if (m->getAddressSpace() == AddrSpaceGlobal || m->getAddressSpace() == AddrSpaceConstant)
      buffers.erase(std::remove_if(buffers.begin(), buffers.end(), [&](auto& b) { return b.first == m->extractBuffer(a); }),
                    buffers.end());
  }
  void kernelBegin(const KernelInvocation*) override
  {
    seen.clear();
    said.clear();
    errors = 0;
  }
  void log(MessageType type, const char* message) override
  {
    if (type == ERROR)
      errors++;
    if (type != ERROR && type != WARNING)
      return;
    std::string begins = message;
    begins.erase(0, begins.find_first_not_of("\n"));
    count(said, begins.substr(0, begins.find_first_of("0123456789\n\"\\(")));
  }
  void kernelEnd(const KernelInvocation*) override
  {
    const char* path = std::getenv("BURSTLINE_TRACE");
    if (!path)
      return;
    std::ofstream out(path);
    for (auto& one : seen)
      write(out, one.first, one.second);
    for (auto& one : buffers)
      out << "{\"op\":\"buffer\",\"buffer\":" << one.first << ",\"bytes\":" << one.second << "}\n";
    for (auto& one : said)
      out << "{\"op\":\"said\",\"begins\":\"" << one.first << "\",\"times\":" << one.second << "}\n";
    out << "{\"op\":\"end\",\"errors\":" << errors << "}\n";
  }

private:
  std::map<Key, Seen> seen;
  std::map<std::string, size_t> said;
  std::vector<std::pair<size_t, size_t>> buffers;
  size_t errors = 0;

  void see(const Memory* memory, const WorkItem* item, char op, size_t address, size_t size)
  {
    if (memory->getAddressSpace() != AddrSpaceGlobal && memory->getAddressSpace() != AddrSpaceConstant)
      return;
    Seen& one = seen[{item ? item->getCurrentInstruction() : nullptr, op, memory->extractBuffer(address)}];
    const size_t offset = memory->extractOffset(address), index = item ? turn(item) : 0;
    one.executions++;
    one.bytes += size;
    auto last = one.last.find(index);
    if (last == one.last.end())
      one.first[index] = offset;
    else
      count(one.inner, (long long)offset - (long long)last->second);
    one.last[index] = offset;
    one.times[index]++;
  }

  // When a work-item comes: groups one after the other, each with its items in their order.
  static size_t turn(const WorkItem* item)
  {
    const WorkGroup* group = item->getWorkGroup();
    const Size3 size = group->getGroupSize(), at = item->getLocalID();
    return group->getGroupIndex() * size.x * size.y * size.z + at.x + size.x * (at.y + size.y * at.z);
  }

  static bool even(const Seen& one)
  {
    return std::all_of(one.times.begin(), one.times.end(), [&](auto& t) { return t.second == one.times.begin()->second; });
  }

  void write(std::ostream& out, const Key& key, const Seen& one)
  {
    out << "{\"op\":\"" << key.op << "\",\"buffer\":" << key.buffer << ",\"executions\":" << one.executions
        << ",\"bytes\":" << one.bytes << ",\"items\":" << one.first.size() << ",\"even\":" << (even(one) ? "true" : "false") << ",\"at\":[";
    const llvm::DILocation* at = key.instruction ? key.instruction->getDebugLoc().get() : nullptr;
    for (bool first = true; at; at = at->getInlinedAt(), first = false)
      out << (first ? "" : ",") << "[\"" << at->getFilename().str() << "\"," << at->getLine() << ","
          << at->getColumn() << "]";
    out << "]";
    print(out, "inner", one.inner);
    Steps items;
    for (auto it = one.first.begin(); it != one.first.end(); ++it)
    {
      auto next = std::next(it);
      if (next != one.first.end())
        count(items, (long long)next->second - (long long)it->second);
    }
    print(out, "between", items);
    out << "}\n";
  }
};

Traces* traces = nullptr;
} // namespace

extern "C"
{
  void initializePlugins(Context* context)
  {
    traces = new Traces(context);
    context->registerPlugin(traces);
  }
  void releasePlugins(Context* context)
  {
    context->unregisterPlugin(traces);
    delete traces;
    traces = nullptr;
  }
}
