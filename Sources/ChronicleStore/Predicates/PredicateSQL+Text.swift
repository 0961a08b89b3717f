import ChronicleCore

// LIKE and GLOB interpret wildcards, and LIKE ignores case. Swift compares characters up to canonical equivalence,
// SQLite compares bytes.
extension PredicateSQL {
    mutating func contains(_ text: Tree, _ part: Tree) throws -> SQLQuery {
        // instr finds the empty text at 1 and does not stop at a NUL character.
        "instr(\(try operand(text).sql), \(try operand(part).sql)) > 0"
    }

    mutating func localizedStandardContains(_ text: Tree, _ part: Tree) throws -> SQLQuery {
        PredicateFunctions.contains(try operand(text).sql, try operand(part).sql)
    }

    mutating func starts(_ text: Tree, _ prefix: Tree) throws -> SQLQuery {
        let (text, prefix) = (try operand(text), try operand(prefix))
        guard case .text(let known) = prefix.constant else { return "instr(\(text.sql), \(prefix.sql)) = 1" }
        // A range can use an index. The order of UTF-8 bytes is the order of the scalars.
        let end: SQLQuery = known.endOfPrefix.map { "\(value: .text($0))" } ?? "x''"
        return "(\(text.sql) >= \(prefix.sql) AND \(text.sql) < \(end))"
    }
}

extension String {
    /// The first text after all texts with this prefix, or `nil` if there is none.
    fileprivate var endOfPrefix: String? {
        var scalars = unicodeScalars
        while let last = scalars.popLast() {
            // Skips the surrogates, which are not scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(scalars)
        }
        return nil
    }
}
