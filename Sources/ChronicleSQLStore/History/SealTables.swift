/// The tables of a sealed history, which are created with the first seal. The store then has another version of its format.
package enum SealTables {
    package static let seal = "chronicle_seal"
    package static let commitment = "chronicle_commitment"
    package static let commitmentKey = "chronicle_commitment_key"
    package static let event = "chronicle_event"
    package static let eventPart = "chronicle_event_part"

    /// The index of seals by the last position, from which a purge finds the seal where it ends, and that of events by the seal.
    package static let indexes = [
        (name: "chronicle_seal_index", table: seal, column: "last"),
        (name: "chronicle_event_index", table: event, column: "seal"),
    ]

    /// Statements that delete what precedes a seal, whose number is their parameter. The row of the seal remains, so that the next
    /// one can be verified.
    ///
    /// - Parameter schema: What precedes the names of tables: empty, or a schema with a period.
    package static func release(_ schema: String = "") -> [String] {
        let (seals, events, parts) = (schema + seal, schema + event, schema + eventPart)
        return [
            """
            UPDATE \(seals) SET catalog = (SELECT catalog FROM \(seals) WHERE number < $1 AND catalog IS NOT NULL \
            ORDER BY number DESC LIMIT 1) WHERE number = $1 AND catalog IS NULL
            """,
            "DELETE FROM \(parts) WHERE event IN (SELECT id FROM \(events) WHERE seal < $1)",
            // The values of an erasure that is not sealed yet. Their commitments are deleted, also those of the boundary.
            "DELETE FROM \(parts) WHERE seal <= $1 AND content IS NULL",
            "DELETE FROM \(events) WHERE seal < $1",
            "DELETE FROM \(seals) WHERE number < $1",
        ]
    }
}
