package dev.assay.operator.signing;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/**
 * The Ed25519 key that signs every request to a runner. Its private half never leaves the operator.
 */
public final class SigningKey {
  private static final String ALGORITHM = "Ed25519";
  private static final int RAW_LENGTH = 32;

  private final String id;
  private final EdECPrivateKey privateKey;
  private final PublicKey publicKey;

  /** Keeps the public half, which is part of what is signed and takes as long as a signature. */
  private final Ed25519PrivateKeyParameters signing;

  private SigningKey(String id, PrivateKey privateKey, PublicKey publicKey) {
    if (!(privateKey instanceof EdECPrivateKey key)) {
      throw new IllegalStateException("Not an Ed25519 key");
    }
    this.id = id;
    this.privateKey = key;
    this.publicKey = publicKey;
    this.signing = new Ed25519PrivateKeyParameters(key.getBytes().orElseThrow());
  }

  /** Generates a key with a new id. */
  public static SigningKey generate() {
    return generate("k-" + UUID.randomUUID().toString().substring(0, 8));
  }

  /** Generates a key. */
  public static SigningKey generate(String id) {
    try {
      var pair = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
      return new SigningKey(id, pair.getPrivate(), pair.getPublic());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM does not support Ed25519", e);
    }
  }

  /** Decodes a key from its halves (PKCS #8 and X.509). */
  public static SigningKey decode(String id, byte[] pkcs8, byte[] x509) {
    try {
      KeyFactory factory = KeyFactory.getInstance(ALGORITHM);
      return new SigningKey(
          id,
          factory.generatePrivate(new PKCS8EncodedKeySpec(pkcs8)),
          factory.generatePublic(new X509EncodedKeySpec(x509)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "The signing key Secret does not contain a valid Ed25519 key", e);
    }
  }

  /** Identifies the public key in a Pod; not secret. */
  public String id() {
    return id;
  }

  /** For its Secret. */
  PrivateKey privateKey() {
    return privateKey;
  }

  /** Passed to Pods. */
  public PublicKey publicKey() {
    return publicKey;
  }

  /** Signs these exact bytes; the signature has 64 bytes. */
  public byte[] sign(byte[] bytes) {
    // The JDK takes ten times as long for the same bytes, and each run waits for some signatures.
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(/* forSigning= */ true, signing);
    signer.update(bytes, 0, bytes.length);
    return signer.generateSignature();
  }

  /** {@code id=base64(32 raw bytes)}, the format that the runner reads. */
  public String publicKeyEntry() {
    if (!(publicKey instanceof EdECPublicKey)) {
      throw new IllegalStateException("Not an Ed25519 key");
    }
    // The X.509 form of an Ed25519 key is a fixed header followed by the 32 raw bytes.
    byte[] encoded = publicKey.getEncoded();
    byte[] raw = Arrays.copyOfRange(encoded, encoded.length - RAW_LENGTH, encoded.length);
    return id + "=" + Base64.getEncoder().encodeToString(raw);
  }

  @Override
  public String toString() {
    return "SigningKey[" + id + "]";
  }
}
