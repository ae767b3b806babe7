package dev.assay.operator.tool;

/**
 * A process of the tool gateway. One that is started again is another: it has forgotten its calls.
 *
 * @param address its IP address
 * @param instance the id that it has given itself
 */
public record Replica(String address, String instance) {
  /** No process: where a call is recorded to be sent that will not be sent. */
  static final Replica NONE = new Replica("", "");
}
