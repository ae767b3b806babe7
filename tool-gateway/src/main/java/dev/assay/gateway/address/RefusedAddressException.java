package dev.assay.gateway.address;

import java.net.UnknownHostException;

/** A tool server has an address that it may not have; the message says which kind. */
public final class RefusedAddressException extends UnknownHostException {
  private static final long serialVersionUID = 1L;

  RefusedAddressException(String message) {
    super(message);
  }
}
