package dev.assay.frontend.script;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Calls that start no script, in single quotes, and the sentence that names what is wrong. */
public final class InvalidScripts {
  private InvalidScripts() {}

  /** The same by MCP and by REST, where {@code INVALID_ARGS} is {@code INVALID_REQUEST}. */
  public static Stream<Arguments> all() {
    return Stream.of(
        arguments(
            "{}",
            ScriptErrorCode.INVALID_ARGS,
            "give 'code', or 'script' with the name of a stored script"),
        arguments(
            "{'code': null, 'script': null}",
            ScriptErrorCode.INVALID_ARGS,
            "give 'code', or 'script' with the name of a stored script"),
        arguments(
            "{'code': '1', 'script': 'a'}",
            ScriptErrorCode.INVALID_ARGS,
            "give 'code' or 'script', not both"),
        arguments(
            "{'code': 1}", ScriptErrorCode.INVALID_ARGS, "'code' must be a string, not a number"),
        arguments(
            "{'code': ['1']}",
            ScriptErrorCode.INVALID_ARGS,
            "'code' must be a string, not an array"),
        arguments(
            "{'code': '\\ud800'}",
            ScriptErrorCode.INVALID_ARGS,
            "'code' is not valid Unicode: it has half of a surrogate pair"),
        arguments(
            "{'script': {}}",
            ScriptErrorCode.INVALID_ARGS,
            "'script' must be a string, not an object"),
        arguments(
            "{'script': 'none'}",
            ScriptErrorCode.SCRIPT_NOT_FOUND,
            "there is no stored script 'none': none is stored in your namespace"),
        arguments(
            "{'code': '1', 'input': [1]}",
            ScriptErrorCode.INVALID_ARGS,
            "'input' must be an object, not an array"),
        arguments(
            "{'code': '1', 'input': 'a'}",
            ScriptErrorCode.INVALID_ARGS,
            "'input' must be an object, not a string"),
        arguments(
            "{'code': '1', 'input': 3}",
            ScriptErrorCode.INVALID_ARGS,
            "'input' must be an object, not a number"),
        arguments(
            "{'code': '1', 'input': true}",
            ScriptErrorCode.INVALID_ARGS,
            "'input' must be an object, not a truth value"),
        arguments(
            "{'code': '1', 'input': {'a': '\\ud800'}}",
            ScriptErrorCode.INVALID_ARGS,
            "'input' is not valid Unicode: it has half of a surrogate pair"),
        arguments(
            "{'code': '1', 'timeout_ms': 1}",
            ScriptErrorCode.INVALID_ARGS,
            "unknown argument 'timeout_ms'; the arguments are code, script, language, input, options"),
        arguments(
            "{'code': '1', 'language': 'python'}",
            ScriptErrorCode.INVALID_LANGUAGE,
            "'language' must be one of javascript, typescript"),
        arguments(
            "{'code': '1', 'language': 3}",
            ScriptErrorCode.INVALID_LANGUAGE,
            "'language' must be a string, not a number"),
        arguments(
            "{'code': '1', 'options': 'fast'}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'options' must be an object, not a string"),
        arguments(
            "{'code': '1', 'options': []}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'options' must be an object, not an array"),
        arguments(
            "{'code': '1', 'options': {'timeout': 1}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "unknown argument 'timeout'; the arguments are timeout_ms, max_tool_calls, allowed_servers, max_parallel"),
        arguments(
            "{'code': '1', 'options': {'timeout_ms': '5'}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'timeout_ms' must be a whole number, not a string"),
        arguments(
            "{'code': '1', 'options': {'timeout_ms': 0}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'timeout_ms' must be between 1 and 600000, not 0"),
        arguments(
            "{'code': '1', 'options': {'timeout_ms': 600001}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'timeout_ms' must be between 1 and 600000, not 600001"),
        arguments(
            "{'code': '1', 'options': {'timeout_ms': 1.5}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'timeout_ms' must be a whole number between 1 and 600000"),
        arguments(
            "{'code': '1', 'options': {'timeout_ms': 1e999999999}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'timeout_ms' must be a whole number between 1 and 600000"),
        arguments(
            "{'code': '1', 'options': {'max_tool_calls': -1}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_tool_calls' must be between 0 and 1000000, not -1"),
        arguments(
            "{'code': '1', 'options': {'max_tool_calls': 1000001}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_tool_calls' must be between 0 and 1000000, not 1000001"),
        arguments(
            "{'code': '1', 'options': {'max_tool_calls': 0.5}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_tool_calls' must be a whole number between 0 and 1000000"),
        arguments(
            "{'code': '1', 'options': {'max_parallel': 0}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_parallel' must be between 1 and 32, not 0"),
        arguments(
            "{'code': '1', 'options': {'max_parallel': 33}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_parallel' must be between 1 and 32, not 33"),
        arguments(
            "{'code': '1', 'options': {'max_parallel': true}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'max_parallel' must be a whole number, not a truth value"),
        arguments(
            "{'code': '1', 'options': {'allowed_servers': 'a'}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'allowed_servers' must be an array, not a string"),
        arguments(
            "{'code': '1', 'options': {'allowed_servers': [1]}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'allowed_servers[0]' must be a string, not a number"),
        arguments(
            "{'code': '1', 'options': {'allowed_servers': ['a', null]}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'allowed_servers[1]' must be a string, not null"),
        arguments(
            "{'code': '1', 'options': {'allowed_servers': ['A b']}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'allowed_servers[0]' must be a name of lower-case letters, digits and '-'"),
        arguments(
            "{'code': '1', 'options': {'allowed_servers': " + Collections.nCopies(65, "'a'") + "}}",
            ScriptErrorCode.INVALID_OPTIONS,
            "'allowed_servers' has more than 64 elements"));
  }
}
