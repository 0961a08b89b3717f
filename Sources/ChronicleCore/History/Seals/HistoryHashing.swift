/// The hash functions of sealed history. A cryptographic library implements them; this module has none.
package protocol HistoryHashing: Sendable {
    /// Begins a SHA-256 hash.
    func hash() -> any HistoryHashFunction
    /// Begins an HMAC-SHA-256 with a key of 32 bytes. HMAC treats shorter keys that differ in trailing zeros alike.
    func authenticationCode(key: HistoryDigest) -> any HistoryHashFunction
}

/// A hash or an authentication code whose input arrives in parts. It is used once.
package protocol HistoryHashFunction: AnyObject {
    /// Appends bytes to the input. If the library fails, ``finish()`` throws.
    func update(_ bytes: UnsafeRawBufferPointer)
    /// Returns the result for the input up to here.
    func finish() throws -> HistoryDigest
}
