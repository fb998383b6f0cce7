// A plug-in for Clang (-fpass-plugin, which `chomp cc --inline` gives where the build found LLVM's headers): before all
// optimisation it puts the functions of abi/inlined.cpp that know what the program does in place of the entry points of
// tasks. They are in the bitcode that is compiled with the program; without them the pass does nothing. A function that
// is not optimised, or watched by a sanitizer, calls what it called. Flang takes the bitcode with this plug-in only.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

using namespace llvm;

namespace {

// The next call in the block; null if there is none, or if something is stored before it: the task may wait for that.
CallInst* next_call(Instruction* at) {
  while ((at = at->getNextNode()) != nullptr) {
    auto* own = dyn_cast<IntrinsicInst>(at);
    if (own != nullptr && own->isAssumeLikeIntrinsic()) continue; // the compiler's notes to itself
    if (isa<CallInst>(at) || at->mayWriteToMemory()) return dyn_cast<CallInst>(at);
  }
  return nullptr;
}

class Tasks {
public:
  explicit Tasks(Module& module)
      : worker_(module.getFunction("chomp_inline_worker")), new_alloc_(module.getFunction("chomp_inline_task_alloc")),
        new_task_(module.getFunction("chomp_inline_task")), new_wait_(module.getFunction("chomp_inline_taskwait")),
        alloc_(module.getFunction("__kmpc_omp_task_alloc")), task_(module.getFunction("__kmpc_omp_task")),
        wait_(module.getFunction("__kmpc_omp_taskwait")), gtid_(module.getFunction("__kmpc_global_thread_num")) {}

  bool known() const {
    return worker_ != nullptr && new_alloc_ != nullptr && new_task_ != nullptr && new_wait_ != nullptr;
  }

  void replace_in(Function& function) {
    here_ = nullptr;
    entries_.clear();
    bool spawns = false;
    for (BasicBlock& block : function)
      for (Instruction& instruction : block) {
        if (auto* entry = entry_of(&instruction)) entries_.push_back(entry);
        auto* call = dyn_cast<CallInst>(&instruction);
        spawns |= call != nullptr && task_ != nullptr && call->getCalledFunction() == task_;
      }
    if (entries_.empty() || !spawns) return; // its tasks are if(0), a taskloop's, or have dependences
    SmallVector<CallInst*> gone, numbers;
    for (BasicBlock& block : function) {
      bool read = false; // the worker, in this block, and nothing has been called since
      for (Instruction& instruction : block) {
        auto* call = dyn_cast<CallBase>(&instruction);
        if (call == nullptr || isa<IntrinsicInst>(call)) continue;
        Function* called = call->getCalledFunction();
        if (called == gtid_ && called != nullptr) {
          numbers.push_back(cast<CallInst>(call));
          continue;
        }
        if (Value* result = replacement(call, called, read)) {
          if (!call->use_empty()) call->replaceAllUsesWith(result);
          gone.push_back(cast<CallInst>(call));
          read = true;
        } else {
          read = false;
        }
      }
    }
    for (CallInst* call : gone) call->eraseFromParent();
    for (CallInst* call : numbers)
      if (call->use_empty()) call->eraseFromParent();
  }

private:
  // The code of the task that the instruction allocates; else null.
  Function* entry_of(Value* value) const {
    auto* call = dyn_cast<CallInst>(value);
    if (call == nullptr || alloc_ == nullptr) return nullptr;
    Function* called = call->getCalledFunction();
    return called == alloc_ || called == new_alloc_ ? dyn_cast<Function>(call->getArgOperand(5)) : nullptr;
  }

  Value* replacement(CallBase* call, Function* called, bool read) {
    if (called == nullptr || !isa<CallInst>(call)) return nullptr;
    IRBuilder<> builder(call);
    auto here = [&] {
      if (here_ == nullptr) {
        BasicBlock& first = call->getFunction()->getEntryBlock();
        here_ = IRBuilder<>(&first, first.begin()).CreateAlloca(builder.getPtrTy(), nullptr, "chomp.worker");
      }
      if (!read) builder.CreateCall(worker_, {here_});
      return here_;
    };
    auto argument = [&](unsigned number) { return call->getArgOperand(number); };
    if (called == alloc_ && entry_of(call) != nullptr)
      return builder.CreateCall(new_alloc_, {here(), argument(0), argument(2), argument(3), argument(4), argument(5)});
    if (called == task_ && entry_of(argument(2)) != nullptr) {
      CallInst* next = next_call(call);
      bool last = next != nullptr && wait_ != nullptr && next->getCalledFunction() == wait_;
      builder.CreateCall(new_task_, {here(), argument(0), argument(2), entry_of(argument(2)), builder.getInt1(last)});
      return builder.getInt32(0);
    }
    if (called == wait_) {
      builder.CreateCall(new_wait_, {here(), argument(0), entries_.front(), entries_.back()});
      return builder.getInt32(0);
    }
    return nullptr;
  }

  Function *worker_, *new_alloc_, *new_task_, *new_wait_, *alloc_, *task_, *wait_, *gtid_;
  AllocaInst* here_ = nullptr;
  SmallVector<Function*> entries_; // of the tasks that the function makes
};

bool is_left_alone(const Function& function) {
  return function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
         function.hasFnAttribute(Attribute::OptimizeNone) || function.hasFnAttribute(Attribute::SanitizeAddress) ||
         function.hasFnAttribute(Attribute::SanitizeThread) || function.hasFnAttribute(Attribute::SanitizeMemory) ||
         function.hasFnAttribute(Attribute::SanitizeHWAddress);
}

struct DirectTasks : PassInfoMixin<DirectTasks> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    Tasks tasks(module);
    if (!tasks.known()) return PreservedAnalyses::all();
    for (Function& function : module)
      if (!is_left_alone(function)) tasks.replace_in(function);
    return PreservedAnalyses::none();
  }
};

} // namespace

// Flang knows no assembly, which is in some of those functions, until this function of LLVM's library is called.
#if defined(__x86_64__)
#define PARSER LLVMInitializeX86AsmParser
#else
#define PARSER LLVMInitializeAArch64AsmParser
#endif
extern "C" __attribute__((weak)) void PARSER();

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  if (PARSER != nullptr) PARSER();
  return {LLVM_PLUGIN_API_VERSION, "chomp-inline", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel level) {
              if (level != OptimizationLevel::O0) passes.addPass(DirectTasks());
            });
          }};
}
