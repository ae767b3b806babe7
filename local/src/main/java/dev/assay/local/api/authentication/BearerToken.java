package dev.assay.local.api.authentication;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The token that every request to the server carries.
 *
 * @param value for the Authorization header, after {@code Bearer}
 * @param location where its owner finds it, for the message of a refusal
 */
public record BearerToken(String value, String location) {
  private static final int RANDOM_BYTES = 32;
  private static final String SCHEME = "Bearer ";

  /** A new token that nobody can guess. */
  public static BearerToken random(String location) {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return new BearerToken(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes), location);
  }

  /** Whether a header carries this token; the time taken says nothing about it. */
  public boolean isIn(@Nullable String authorization) {
    return authorization != null
        && MessageDigest.isEqual(authorization.getBytes(UTF_8), (SCHEME + value).getBytes(UTF_8));
  }

  /** Without the value, which belongs in no log. */
  @Override
  public String toString() {
    return "the token in " + location;
  }
}
