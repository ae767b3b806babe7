package dev.assay.operator.tool;

import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.runner.RunnerClient;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/**
 * Shared by the calls of all runs.
 *
 * @param gateway the tool gateway; empty if there is none
 */
record ToolCallServices(
    Optional<GatewayClient> gateway,
    ToolServers servers,
    RunOutputs outputs,
    RunnerClient runners,
    CallMetrics metrics,
    ExecutorService threads,
    Clock clock) {}
