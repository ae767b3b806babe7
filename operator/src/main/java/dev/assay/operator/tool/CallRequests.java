package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import dev.assay.operator.tool.CallRecord.Subject;

/** What the calls of one run are recorded as, and what the gateway is asked for. */
final class CallRequests {
  /** Longer arguments are never recorded. */
  private static final int MAX_RECORDED_ARGUMENTS = 16 * 1024;

  /** How many bytes of arguments of a run are recorded. */
  private static final long MAX_ALL_RECORDED_ARGUMENTS = 4 << 20;

  private final ToolServers servers;
  private final CallLog log;
  private final String namespace;
  private final String runUid;
  private final RunToolPolicy policy;

  /**
   * Bytes of recorded arguments, including those of calls that are not in the log yet. Used only by
   * the thread that decides calls.
   */
  private long recordedArguments;

  CallRequests(
      ToolServers servers, CallLog log, String namespace, String runUid, RunToolPolicy policy) {
    this.servers = servers;
    this.log = log;
    this.namespace = namespace;
    this.runUid = runUid;
    this.policy = policy;
  }

  /** What identifies a call. */
  static String digest(ToolCall call) {
    return CallArguments.digest(call.server(), call.tool(), args(call));
  }

  private static byte[] args(ToolCall call) {
    byte[] args = call.args();
    return args == null ? new byte[0] : args;
  }

  /** What is recorded of a call, once for each; must be called by the thread that decides calls. */
  Subject subject(ToolCall call) {
    byte[] args = args(call);
    recordedArguments = Math.max(recordedArguments, log.ask(CallHistory::recordedArguments));
    boolean records =
        args.length <= MAX_RECORDED_ARGUMENTS
            && recordedArguments + args.length <= MAX_ALL_RECORDED_ARGUMENTS
            && servers
                .find(namespace, call.server())
                .filter(server -> server.getSpec().recordsArguments())
                .isPresent();
    if (records) {
      recordedArguments += args.length;
    }
    return new Subject(
        call.server(),
        call.tool(),
        digest(call),
        args.length,
        Sha256.hex(args),
        records ? new String(args, UTF_8) : null);
  }

  /** What the gateway is asked for, as the tool server is approved now. */
  GatewayCall of(ToolCall call, Subject subject) {
    return new GatewayCall(
        namespace,
        runUid,
        call.call(),
        call.server(),
        call.tool(),
        args(call),
        subject.digest(),
        policy.resultBytes(),
        policy.permissions(),
        servers
            .find(namespace, call.server())
            .flatMap(server -> ToolApprovals.approvedDigest(server, call.tool()))
            .orElse(null));
  }
}
