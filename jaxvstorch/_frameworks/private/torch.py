"""Every name of PyTorch that this package uses and that PyTorch does not promise.

``private.compile_lock`` looks a name up when it is used. Each entry says what happens if a version
lacks the name. ``proven`` lists the versions that have them all.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from jaxvstorch._frameworks import private
from jaxvstorch._frameworks.private import MissingNameError, Name

_NO_REASON = "a function that Dynamo leaves out is reported without a reason"
_LESS = "a ledger says less about why a call was compiled, or that it was not"
_PRINTED = "Dynamo prints what to do about .item() beside what explain says of it"
_NO_PORT = "port replays nothing"
_NO_DIFF = "diff compares nothing in PyTorch"
_NO_KERNELS = "Inductor's kernels are missing from the stages, which say so"

NAMES = {
    "pytree": Name("torch.utils._pytree:", "nothing can be compared, timed or explained"),
    # How Dynamo compiles a frame.
    "CatchErrorsWrapper": Name("torch._dynamo.convert_frame:CatchErrorsWrapper"),
    "compile_lock": Name("torch._dynamo.convert_frame:compile_lock"),
    "output_codes": Name("torch._dynamo.convert_frame:output_codes"),
    "frame_counter": Name("torch._dynamo.convert_frame:FRAME_COUNTER"),
    "frame_compile_counter": Name("torch._dynamo.convert_frame:FRAME_COMPILE_COUNTER"),
    "CodeState": Name("torch._dynamo.pgo:CodeState"),
    "code_state": Name("torch._dynamo.pgo:_CODE_STATE"),
    "first_code_state": Name("torch._dynamo.pgo:_INIT_CODE_STATE"),
    "is_skipped": Name("torch._dynamo.trace_rules:check"),
    "InstructionTranslator": Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase"),
    "CompileContext": Name("torch._guards:CompileContext"),
    "TracingContext": Name("torch._guards:TracingContext"),
    # What Dynamo keeps of it.
    "cache_entries": Name("torch._C._dynamo.eval_frame:_debug_get_cache_entry_list"),
    "reset_code": Name("torch._C._dynamo.eval_frame:reset_code"),
    "get_eval_frame_callback": Name("torch._C._dynamo.eval_frame:get_eval_frame_callback"),
    "set_code_exec_strategy": Name("torch._C._dynamo.eval_frame:set_code_exec_strategy"),
    "FrameAction": Name("torch._C._dynamo.eval_frame:_FrameAction"),
    "FrameExecStrategy": Name("torch._C._dynamo.eval_frame:_FrameExecStrategy"),
    "cached_backends": Name("torch._dynamo.eval_frame:cached_backends"),
    "DynamoContext": Name("torch._dynamo.eval_frame:_TorchDynamoContext"),
    "DeletedGuardManager": Name("torch._dynamo.guards:DeletedGuardManagerWrapper"),
    "CleanupManager": Name("torch._dynamo.utils:CleanupManager"),
    "CleanupHook": Name("torch._dynamo.utils:CleanupHook"),
    # What Dynamo reports.
    "counters": Name("torch._dynamo.utils:counters"),
    "graph_break_reasons": Name("torch._dynamo.utils:graph_break_reasons"),
    "compilation_metrics": Name("torch._dynamo.utils:_compilation_metrics"),
    "get_compilation_metrics": Name("torch._dynamo.utils:get_compilation_metrics"),
    "warn_once_cache": Name("torch._dynamo.utils:warn_once_cache"),
    "TensorVariable": Name("torch._dynamo.variables.tensor:TensorVariable", _PRINTED),
    "graph_break_hints": Name(
        "torch._dynamo.graph_break_hints:", "hints that fit any graph break are shown too"
    ),
    # What a ledger listens to, and what it looks up.
    "compute_cache_size": Name("torch._dynamo.convert_frame:compute_cache_size", _LESS),
    "exceeds_recompile_limit": Name("torch._dynamo.convert_frame:exceeds_recompile_limit", _LESS),
    "set_guard_complete_hook": Name("torch._C._dynamo.eval_frame:set_guard_complete_hook", _LESS),
    "GlobalStateGuard": Name("torch._C._dynamo.guards:GlobalStateGuard", _LESS),
    "external_utils_file": Name("torch._dynamo.external_utils:__file__", _LESS),
    "dynamo_config": Name("torch._dynamo.config:"),
    "stance": Name("torch._dynamo.eval_frame:_stance", _LESS),
    # Inductor.
    "compile_fx": Name("torch._inductor.compile_fx:compile_fx", _NO_KERNELS),
    "pick_vec_isa": Name(
        "torch._inductor.cpu_vec_isa:pick_vec_isa", "fresh processes find out vector instructions"
    ),
    "GraphLowering": Name("torch._inductor.graph:GraphLowering", _NO_KERNELS),
    "inductor_config": Name("torch._inductor.config:", _NO_KERNELS),
    "inductor_metrics": Name("torch._inductor.metrics:", _NO_KERNELS),
    "node_info_of_kernels": Name(
        "torch._inductor.debug:_inductor_triton_kernel_to_post_grad_node_info", _NO_KERNELS
    ),
    # The replay.
    "DisableTorchFunction": Name("torch._C:DisableTorchFunction", _NO_PORT),
    "hooks_with_kwargs": Name(
        "torch.nn.modules.module:_global_forward_hooks_with_kwargs", _NO_PORT
    ),
    "disable_current_modes": Name("torch.utils._python_dispatch:_disable_current_modes", _NO_PORT),
    # Where two implementations part.
    "TorchDispatchMode": Name("torch.utils._python_dispatch:TorchDispatchMode", _NO_DIFF),
    "decomposition_table": Name(
        "torch._decomp:decomposition_table", "diff sees no steps inside PyTorch's operations"
    ),
    "functional_batch_norm": Name(
        "torch:ops.aten._native_batch_norm_legit_functional", "diff runs no batch norm in training"
    ),
    "current_autograd_node": Name("torch._C:_current_autograd_node", _NO_DIFF),
    "sequence_number": Name("torch._C._autograd:_get_sequence_nr", _NO_DIFF),
}  # fmt: skip

# The package that a process loads when it first uses torch.compile.
DYNAMO = "torch._dynamo"
# The logger that PyTorch's compiler writes its own record to, which pytest would print.
TRACE_LOG = "torch.__trace"
# Loggers that do not pass their records on to "torch".
LOGGERS = (DYNAMO, "torch._inductor", "torch._functorch", "torch.export")

# What a compiled function and a compiled module keep of the original.
ORIGINAL_FUNCTION = "_torchdynamo_orig_callable"
ORIGINAL_MODULE = "_orig_mod"
# A compiled module also shows the attributes of its forward, which may be compiled itself.
ORIGINALS = (ORIGINAL_MODULE, ORIGINAL_FUNCTION)
# Attributes of the objects that these hand out.
ATTRIBUTES = (
    Name("torch._dynamo.convert_frame:CatchErrorsWrapper.__call__"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.starts_line"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.is_co_filename_from_nn_modules"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.lineno"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.current_instruction"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.instruction_pointer"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.f_code"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.f_globals"),
    Name("torch._dynamo.symbolic_convert:InstructionTranslatorBase.f_locals",
         "a variable that is closed over is not reported"),
    Name("torch._dynamo.symbolic_convert:InliningInstructionTranslator.parent",
         "for a break inside a called function only its own line is reported"),
    Name("torch._dynamo.types:ConvertFrameReturn.apply_to_code"),
    Name("torch._dynamo.types:ConvertFrameReturn.guarded_code"),
    Name("torch._dynamo.variables.tensor:TensorVariable._warn_capture_scalar_outputs", _PRINTED),
    Name("torch._dynamo.utils:CleanupManager.instance"),
    Name("torch._dynamo.utils:CleanupManager._remove_id"),
    Name("torch._dynamo.utils:CleanupHook.create"),
    Name("torch._dynamo.utils:CleanupHook.scope"),
    Name("torch._dynamo.utils:CleanupHook.name"),
    Name("torch._dynamo.utils:CompilationMetrics.fail_reason", _NO_REASON),
    Name("torch._dynamo.utils:CompilationMetrics.fail_user_frame_filename", _NO_REASON),
    Name("torch._dynamo.utils:CompilationMetrics.fail_user_frame_lineno", _NO_REASON),
    Name("torch._dynamo.output_graph:GraphCompileReason.reason"),
    Name("torch._dynamo.output_graph:GraphCompileReason.user_stack"),
    Name("torch._dynamo.output_graph:GraphCompileReason.graph_break"),
    Name("torch._guards:CompileContext.current_trace_id"),
    Name("torch._guards:TracingContext.try_get"),
    Name("torch._C._dynamo.eval_frame:_CacheEntry.backend"),
    Name("torch._C._dynamo.eval_frame:_CacheEntry.guard_manager"),
    Name("torch._dynamo.guards:GuardManagerWrapper.extra_state"),
    Name("torch._dynamo.guards:GuardManagerWrapper.root", _LESS),
    Name("torch._dynamo.guards:GuardManagerWrapper.global_scope", _LESS),
    Name("torch._dynamo.guards:GuardManagerWrapper.closure_vars", _LESS),
    Name("torch._dynamo.guards:GuardManagerWrapper.check_verbose", _LESS),
    Name("torch._C._dynamo.guards:RootGuardManager.get_epilogue_lambda_guards", _LESS),
    Name("torch._C._dynamo.guards:GuardManager.get_leaf_guards", _LESS),
    Name("torch._C._dynamo.guards:GuardManager.get_child_managers", _LESS),
    Name("torch._C._dynamo.guards:GuardManager.get_source", _LESS),
    Name("torch._C._dynamo.guards:DictGuardManager.get_key_value_managers", _LESS),
    Name("torch._C._dynamo.guards:GlobalStateGuard.__getstate__", _LESS),
    Name("torch._inductor.graph:GraphLowering.save_output_code", _NO_KERNELS),
    Name("torch._inductor.config:patch", _NO_KERNELS),
    Name("torch._dynamo.config:patch"),
    Name("torch._dynamo.config:recompile_limit"),
    Name("torch._dynamo.config:accumulated_recompile_limit"),
    Name("torch._inductor.metrics:get_metric_fields", "an explanation adds to Inductor's counts"),
)  # fmt: skip


def __getattr__(name: str) -> Any:
    return private.taken(NAMES, name)


def imported(*names: str) -> None:
    """Import the modules of some names now, so that this takes no time later."""
    for name in names:
        with suppress(MissingNameError):
            NAMES[name].get()


def assign(name: str, value: Any) -> None:
    """Give another value to a name that is a variable of its module."""
    private.assign(NAMES, name, value)


@contextmanager
def restored(*names: str) -> Iterator[None]:
    """Restore the values of some variables at the end of the block."""
    before = {name: NAMES[name].get() for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            assign(name, value)


def gone() -> dict[str, str]:
    """The names that this version of PyTorch lacks, each with what happens without it."""
    return private.gone({**NAMES, **{name.path: name for name in ATTRIBUTES}})
