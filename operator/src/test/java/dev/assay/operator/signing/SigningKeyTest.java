package dev.assay.operator.signing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class SigningKeyTest {
  private static final byte[] TEXT = "assay-runner/v1\n{}".getBytes(UTF_8);
  private final SigningKey key = SigningKey.generate("k1");

  @Test
  void thePublicEntryIsTheIdAnd32RawBytes() {
    assertThat(key.publicKeyEntry()).startsWith("k1=");
    assertThat(rawOf(key)).hasSize(32);
  }

  @Test
  void aSignatureVerifiesWithTheRawKeyAlone() throws GeneralSecurityException {
    byte[] signature = key.sign(TEXT);
    assertThat(signature).hasSize(64);
    assertThat(verifies(signature, TEXT, fromRaw(rawOf(key)))).isTrue();
    assertThat(verifies(signature, "other".getBytes(UTF_8), fromRaw(rawOf(key)))).isFalse();
    assertThat(verifies(signature, TEXT, fromRaw(rawOf(SigningKey.generate("k1"))))).isFalse();
  }

  @Test
  void aSignatureIsThatOfTheJdk() throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.privateKey());
    signature.update(TEXT);
    assertThat(key.sign(TEXT)).isEqualTo(signature.sign());
  }

  @Test
  void aKeyThatWasStoredIsTheSameKey() throws GeneralSecurityException {
    SigningKey read =
        SigningKey.decode("k1", key.privateKey().getEncoded(), key.publicKey().getEncoded());
    assertThat(read.publicKeyEntry()).isEqualTo(key.publicKeyEntry());
    assertThat(verifies(read.sign(TEXT), TEXT, fromRaw(rawOf(key)))).isTrue();
  }

  @Test
  void whatIsNoKeyIsRefused() {
    assertThatThrownBy(() -> SigningKey.decode("k1", new byte[3], new byte[3]))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aKeyPrintsItsNameAndNothingElse() {
    assertThat(key).hasToString("SigningKey[k1]");
  }

  private static byte[] rawOf(SigningKey key) {
    return Base64.getDecoder().decode(key.publicKeyEntry().substring("k1=".length()));
  }

  /** RFC 8032, 5.1.2: little-endian y, whose highest bit is the sign of x. */
  private static PublicKey fromRaw(byte[] raw) throws GeneralSecurityException {
    byte[] bigEndian = new byte[raw.length];
    for (int i = 0; i < raw.length; i++) {
      bigEndian[i] = raw[raw.length - 1 - i];
    }
    boolean xIsOdd = (bigEndian[0] & 0x80) != 0;
    bigEndian[0] &= 0x7f;
    EdECPoint point = new EdECPoint(xIsOdd, new BigInteger(1, bigEndian));
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
  }

  private static boolean verifies(byte[] signature, byte[] text, PublicKey publicKey)
      throws GeneralSecurityException {
    Signature verifier = Signature.getInstance("Ed25519");
    verifier.initVerify(publicKey);
    verifier.update(text);
    return verifier.verify(signature);
  }
}
