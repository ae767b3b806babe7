/**
 * What an execution of a run does next, as a function of what has happened: states, events and
 * effects, without I/O. {@code run.execution} performs the effects.
 */
@org.jspecify.annotations.NullMarked
package dev.assay.operator.run.machine;
