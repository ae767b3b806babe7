package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.run.cluster.ClassImages;
import dev.assay.operator.run.cluster.CurrentSnapshots;
import dev.assay.operator.run.results.ArtifactTransfer;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.ToolCalls;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Shared by all executions.
 *
 * @param written is told of a run before and after a write that its cache may not show yet
 * @param dispatchers gives each execution an id of its own, for the bindings that it makes
 */
public record ExecutionServices(
    StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
    RunnerClient runners,
    EgressCheck egress,
    RunOutputs outputs,
    ArtifactTransfer artifacts,
    ToolCalls tools,
    RunnerPods pods,
    SigningKeys keys,
    WholeObjects wholes,
    CurrentSnapshots currentSnapshots,
    ClassImages images,
    RunEvents events,
    WarmRefusals refusals,
    AwaitedAnswers answers,
    BiConsumer<AnalyticsRun, AnalyticsRun> written,
    Supplier<String> dispatchers,
    ExecutorService threads,
    Clock clock) {}
