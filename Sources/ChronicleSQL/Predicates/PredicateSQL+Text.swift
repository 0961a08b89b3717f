import ChronicleCore

// Texts are compared by their bytes, in the database as in memory.
extension PredicateSQL {
    mutating func contains(_ text: Tree, _ part: Tree) throws -> SQLQuery {
        let text = try operand(text)
        let part = try comparand(part)
        // No text that the database can represent contains one that it cannot represent.
        return part.isRepresentable ? try source.dialect.contains(text, part) : never(text)
    }

    mutating func localizedStandardContains(_ text: Tree, _ part: Tree) throws -> SQLQuery {
        let text = try operand(text)
        return try source.dialect.localizedStandardContains(text, operand(part))
    }

    mutating func starts(_ text: Tree, _ prefix: Tree) throws -> SQLQuery {
        let text = try operand(text)
        let prefix = try comparand(prefix)
        guard prefix.isRepresentable else { return never(text) }
        let dialect = source.dialect
        return try dialect.searching(dialect.starts(text, with: prefix), text, for: prefix) {
            try dialect.starts($0, with: $1)
        }
    }

    private func never(_ text: SQLOperand) -> SQLQuery {
        source.dialect.defined(source.dialect.false, where: [text.isDefined], nullIsFalse: false)
    }
}

extension String {
    /// The first text after all texts with this prefix in the order of Unicode scalars, or `nil` if there is none, to write
    /// ``SQLDialect/starts(_:with:)`` as a range.
    public var endOfPrefix: String? {
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
