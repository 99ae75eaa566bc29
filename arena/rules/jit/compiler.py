"""How kernels are compiled: a kernel that others call is a part of them, translated once and not optimised alone.

Left to itself, numba makes ways in from Python and from C for every function that a kernel calls, translates each
to machine code, keeps it on disk, and does most of that again for each of its callers. Here only a kernel that
Python calls has them: it is linked of its parts, optimised and kept. Kernels of this source tree also go without
those of numba's passes that find nothing in them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from llvmlite import binding
from numba.core import event, ir, sigutils, typed_passes, types, untyped_passes
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.cgutils import normalize_ir_text
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import lookup_environment
from numba.core.ir_utils import GuardException, build_definitions, get_definition, require
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.targetconfig import ConfigStack

from arena.rules.jit.cache import LazyCache, is_ours
from arena.rules.jit.constants import ConstantsType

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}
_PASSES: tuple[Any, ...] = (
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class Kernel(CPUDispatcher):
    """A function as Python calls it; to other kernels it is its part."""

    def __init__(self, function: Callable[..., Any], *_: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        self._part = Part(function)
        self._compiler = _Linker(self._part)
        self._cache = LazyCache(function)

    @property
    def _numba_type_(self) -> types.Type:  # type: ignore[override]
        return types.Dispatcher(self._part)


class Part(CPUDispatcher):
    """A function as kernels call it: numba types and translates it, and no more."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS | options, pipeline_class=_Translation)

    def compile(self, sig: Any) -> Any:
        """The key by which numba finds the code for a signature; called with numba's lock held."""
        arguments, returns = sigutils.normalize_signature(sig)
        if arguments not in self.overloads:
            details = {"dispatcher": self, "args": arguments, "return_type": returns}
            with self._compiling_counter, event.trigger_event("numba:compile", data=details):
                made: Any = self._compiler.compile(arguments, returns)  # type: ignore[attr-defined]
            self.targetctx.insert_user_function(made.library, made.fndesc, [made.library])
            self.overloads[arguments] = made._replace(entry_point=made.library)
        return self.overloads[arguments].entry_point  # type: ignore[attr-defined]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba's, for plain types: no copy of the function for each literal that it is called with."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


class _Linker(_FunctionCompiler):
    """Makes of a part what Python can call."""

    def __init__(self, part: Part) -> None:
        super().__init__(part.py_func, part.targetdescr, part.targetoptions, part.locals, None)
        self._part = part

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        with without_collection():
            self._part.compile(args if return_type is None else return_type(*args))
            made: Any = self._part.overloads[args]
            context, called = made.target_context, (made.fndesc, made.environment)
            library = _Library(context.codegen(), made.fndesc.qualname)
            library.enable_object_caching()
            library.add_linking_library(made.library)
            context.create_cpython_wrapper(library, *called, made.call_helper, release_gil=True)
            context.create_cfunc_wrapper(library, *called, made.call_helper)
            library.finalize()
            entry_point = context.get_executable(library, *called)
        set_environments(library)
        return made._replace(library=library, entry_point=entry_point)


class _Library(JITCodeLibrary):
    """The code of a kernel that Python calls, with all its parts."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, each of its functions simplified before others are inlined into it."""
        module = binding.parse_assembly(normalize_ir_text(str(ir_module)))
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in _defined(module):
            passes.run(function, builder)
        self._add(module)

    def _add(self, module: Any) -> None:
        self._final_module.link_in(module)

    def _optimize_final_module(self) -> None:
        """Optimise without the cheap passes that numba has before: they are for counts of references."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _PartLibrary(_Library):
    """The code of a part; its own parts join it where it is linked into what is optimised."""

    def _add(self, module: Any) -> None:
        for function in _defined(module):
            function.linkage = "external"  # or it would vanish where nothing calls it yet
        super()._add(module)

    def _ensure_finalized(self) -> None:
        pass

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            whole = self._final_module.clone()
            for library in self._needed({self}):
                part = isinstance(library, _PartLibrary)
                whole.link_in(library._final_module if part else library._get_module_for_linking(), preserve=True)
            for function in _defined(whole):
                function.linkage = "linkonce_odr"
            self._shared_module = whole
        return self._shared_module

    def _needed(self, seen: set[Any]) -> Iterator[Any]:
        """What this calls, and what that calls, each once."""
        for library in self._linking_libraries:
            if library not in seen:
                seen.add(library)
                self._reload_init.update(library._reload_init)
                yield library
                if isinstance(library, _PartLibrary):
                    yield from library._needed(seen)


class _Translation(Compiler):
    """numba's compiler as far as a part needs it."""

    def compile_extra(self, func: Any) -> Any:
        """Type and translate a function."""
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)

    def _compile_core(self) -> Any:
        state = self.state
        if not is_ours(state.func_id.func):
            return super()._compile_core()
        state.typingctx = _typing()
        with ConfigStack().enter(state.flags.copy()):
            untyped_passes.TranslateByteCode().run_pass(state)
            _leave_out_the_unreachable(state.func_ir, state.args)
            for each in _PASSES:
                each().run_pass(state)
        return state.cr


class _Typing:
    """numba's typing, which remembers the types of operations: numba itself looks through all that it knows."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._known: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a function for some types."""
        if kws or isinstance(func, types.Type):
            return self._context.resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._known:
            self._known[key] = self._context.resolve_function_type(func, args, kws)
        return self._known[key]


@cache
def _typing() -> _Typing:
    return _Typing(cpu_target.typing_context)


def _leave_out_the_unreachable(code: Any, arguments: tuple[Any, ...]) -> None:
    """Leave out what constant rules never reach, so that none of it is compiled."""
    for block in code.blocks.values():
        branch = block.terminator
        if isinstance(branch, ir.Branch):
            with suppress(GuardException):
                taken = branch.truebr if _decided(code, branch.cond, arguments) else branch.falsebr
                block.body[-1] = ir.Jump(taken, branch.loc)
    for label in compute_cfg_from_blocks(code.blocks).dead_nodes():
        del code.blocks[label]
    code._definitions = build_definitions(code.blocks)


def _decided(code: Any, variable: Any, arguments: tuple[Any, ...]) -> Any:
    """The value of a variable that the rules decide. Raises GuardException for any other."""
    found = get_definition(code, variable)
    if isinstance(found, ir.Const | ir.Global | ir.FreeVar) and isinstance(found.value, int):
        return found.value
    require(isinstance(found, ir.Expr))
    if found.op == "getattr":
        base = get_definition(code, found.value)
        require(isinstance(base, ir.Arg) and isinstance(arguments[base.index], ConstantsType))
        return getattr(arguments[base.index].values, found.attr)
    if found.op == "call":
        function = get_definition(code, found.func)
        require(isinstance(function, ir.Global) and function.value is bool)
        return bool(_decided(code, found.args[0], arguments))
    require(found.op in ("binop", "unary"))
    return found.fn(*(_decided(code, operand, arguments) for operand in found.list_vars()))


@contextmanager
def without_collection() -> Iterator[None]:
    """Without Python's search for cyclic garbage: what a compilation makes lives until its end."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def set_environments(library: Any) -> None:
    """Let the functions in a library find their constants; numba does so for the outermost one."""
    for variable in library._final_module.global_variables:
        if variable.name.startswith("_ZN08NumbaEnv") and (found := lookup_environment(variable.name)) is not None:
            library.codegen.set_env(variable.name, found)


def _defined(module: Any) -> list[Any]:
    return [function for function in module.functions if not function.is_declaration]
