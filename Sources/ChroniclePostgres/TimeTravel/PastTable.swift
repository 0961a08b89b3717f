#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import Foundation

    /// The rows of a table of models that have changed since a position, as they were, in the form of a query's parameters.
    ///
    /// Each row is added once and never changed.
    struct PastTable: Sendable {
        let name: String
        let columns: [Column]
        /// The index of each row, by its key.
        private var indices: [Int64: Int] = [:]
        /// Whether the rows existed.
        private var presence: [Bool] = []
        /// The numbers of the attributes whose values are unknown, by key.
        private var unknown: [Int64: Set<Int>] = [:]
        private var keyTexts = ArrayText()
        private var presenceTexts = ArrayText()
        private var unknownTexts = ArrayText()
        private var valueTexts: [ArrayText]
        /// The columns that are unknown in some rows.
        private(set) var incomplete: Set<String> = []
        /// The name of the temporary table with the rows, which queries read instead of arrays.
        private var temporary: String?

        struct Column: Sendable {
            /// The number of the attribute.
            let number: Int
            let name: String
            let type: ColumnType
        }

        init(_ name: String, _ columns: [Column]) {
            (self.name, self.columns) = (name, columns)
            valueTexts = columns.map { _ in ArrayText() }
        }

        /// Returns the names of the columns that are unknown in a row.
        func unknownColumns(_ key: Int64) -> Set<String> {
            guard let numbers = unknown[key] else { return [] }
            return Set(columns.filter { numbers.contains($0.number) }.map(\.name))
        }

        /// Returns whether a row existed, or `nil` if it has not changed.
        func isPresent(_ key: Int64) -> Bool? { indices[key].map { presence[$0] } }

        /// Adds a row.
        ///
        /// - Parameters:
        ///   - key: The primary key.
        ///   - values: The values of the columns, or `nil` if the row did not exist.
        ///   - unknown: The numbers of the attributes whose values are unknown.
        mutating func append(_ key: Int64, _ values: [PropertyValue]?, unknown: Set<Int>) {
            indices[key] = presence.count
            presence.append(values != nil)
            if !unknown.isEmpty { self.unknown[key] = unknown }
            keyTexts.append(.integer(key))
            presenceTexts.append(.text(values == nil ? "f" : "t"))
            let numbers = unknown.sorted().map { "\($0)," }.joined()
            unknownTexts.append(unknown.isEmpty ? .null : .text(",\(numbers)"))
            for index in columns.indices {
                valueTexts[index].append(values?[index] ?? .null)
                if unknown.contains(columns[index].number) { incomplete.insert(columns[index].name) }
            }
        }

        // MARK: Queries

        private static let key = quoted(EntityTable.primaryKey)
        // Names of properties contain no period.
        private static let isPresent = quoted("past.present")
        private static let unknownNumbers = quoted("past.unknown")

        /// The rows that a query needs.
        struct Selection: Sendable {
            /// The keys, or `nil` for all rows.
            var keys: Set<Int64>?
            /// Whether unknown values are NULL instead of an error.
            var ignoresUnknown = false
        }

        /// Whether a query reads rows that have changed.
        func hasRows(_ selection: Selection) -> Bool {
            selection.keys.map { keys in keys.contains { indices[$0] != nil } } ?? true
        }

        /// Returns an item of a FROM clause with the rows of the table as of the position.
        func rows(of table: SQLQuery, _ selection: Selection) -> SQLQuery {
            let own: SQLQuery = ([Self.key] + columns.map { quoted($0.name) })
                .map { SQLQuery(raw: "m.\($0) AS \($0)") }.joined(", ")
            let values = columns.map { column -> SQLQuery in
                "\(value(of: column, "p", selection)) AS \(raw: quoted(column.name))"
            }
            let selected = (["p.\(raw: Self.key)"] + values).joined(", ")
            let indices = selectedIndices(selection)
            let keys: SQLQuery =
                temporary.map { "\(raw: $0) AS k" }
                ?? "unnest(\(keyTexts.parameter(indices))::bigint[]) AS k(\(raw: Self.key))"
            // An anti join: a list would be searched from the beginning for each row by servers before version 15.
            return """
                (SELECT \(own) FROM \(table) AS m WHERE NOT EXISTS \
                (SELECT FROM \(keys) WHERE k.\(raw: Self.key) = m.\(raw: Self.key)) \
                UNION ALL SELECT \(selected) FROM \(changedRows("p", indices)) WHERE p.\(raw: Self.isPresent))
                """
        }

        /// Returns the join with the row that a reference contains, in two steps, each of which can use an index.
        func join(_ table: SQLQuery, as alias: String, _ selection: Selection) -> SQLJoin {
            let changed = "\(alias)p"
            return SQLJoin(
                clause: { reference in
                    """
                    LEFT JOIN \(changedRows(changed, selectedIndices(selection))) \
                    ON \(raw: changed).\(raw: Self.key) = \(reference) \
                    LEFT JOIN \(table) AS \(raw: alias) ON \(raw: alias).\(raw: Self.key) \
                    = CASE WHEN \(raw: changed).\(raw: Self.key) IS NULL THEN \(reference) END
                    """
                },
                column: { name in
                    if name == EntityTable.primaryKey {
                        return """
                            CASE WHEN \(raw: changed).\(raw: Self.key) IS NULL THEN \(raw: alias).\(raw: Self.key) \
                            WHEN \(raw: changed).\(raw: Self.isPresent) THEN \(raw: changed).\(raw: Self.key) END
                            """
                    }
                    guard let column = columns.first(where: { $0.name == name }) else {
                        return "\(raw: alias).\(raw: quoted(name))"
                    }
                    return """
                        CASE WHEN \(raw: changed).\(raw: Self.key) IS NULL THEN \(raw: alias).\(raw: quoted(name)) \
                        ELSE \(value(of: column, changed, selection)) END
                        """
                })
        }

        /// Returns the indices of the selected rows, or `nil` for all.
        private func selectedIndices(_ selection: Selection) -> [Int]? {
            selection.keys.map { keys in keys.compactMap { indices[$0] }.sorted() }
        }

        /// Writes the rows to a temporary table, which the end of the transaction drops.
        ///
        /// - Parameter name: The quoted name of the table.
        mutating func write(to name: String, _ connection: Connection) throws {
            try connection.createTemporary(name, "SELECT * FROM \(changedRows("p", nil))")
            temporary = name
        }

        private func changedRows(_ alias: String, _ selected: [Int]?) -> SQLQuery {
            if let temporary { return "\(raw: temporary) AS \(raw: alias)" }
            var names = [Self.key, Self.isPresent]
            var arrays: [SQLQuery] = [
                "\(keyTexts.parameter(selected))::bigint[]", "\(presenceTexts.parameter(selected))::boolean[]",
            ]
            if !incomplete.isEmpty {
                names.append(Self.unknownNumbers)
                arrays.append("\(unknownTexts.parameter(selected))::text[]")
            }
            for (column, texts) in zip(columns, valueTexts) {
                names.append(quoted(column.name))
                arrays.append("\(texts.parameter(selected))::\(raw: column.type.name)[]")
            }
            return "unnest(\(arrays.joined(", "))) AS \(raw: alias)(\(raw: names.joined(separator: ", ")))"
        }

        /// Returns a value of a changed row. A value that is unknown ends the statement with an error if it is used.
        private func value(of column: Column, _ alias: String, _ selection: Selection) -> SQLQuery {
            let value = "\(alias).\(quoted(column.name))\(column.type == .text ? " COLLATE \"C\"" : "")"
            guard incomplete.contains(column.name), !selection.ignoresUnknown else { return SQLQuery(raw: value) }
            // Depends on the row, so it is computed with the value.
            let failure = Self.failure(name, column.number, key: "\(alias).\(Self.key)")
            let typed: String =
                switch column.type {
                case .integer, .real, .text: "(\(failure))::\(column.type.name)"
                case .blob: "convert_to((\(failure))::text, 'UTF8')"
                }
            return SQLQuery(
                raw:
                    "CASE WHEN strpos(\(alias).\(Self.unknownNumbers), ',\(column.number),') > 0 THEN \(typed) ELSE \(value) END"
            )
        }

        private static let marker = "chronicle missing value\n"

        /// An expression that ends the statement with an error; see ``unknownValue(_:)``. The text is no number.
        private static func failure(_ name: String, _ number: Int, key: String) -> String {
            "(\(literal("\(marker)\(name)\n\(number)\n")) || \(key) || \(literal("\n")))::bigint"
        }

        /// An expression for a condition in a query of a link table that is unknown.
        static func failure(ofLinks name: String) -> String { "\(failure(name, -1, key: "0::text")) IS NULL" }

        /// Returns the table, the number of the attribute and the key of the unknown value that an error describes, or `nil`
        /// for other errors.
        static func unknownValue(_ error: PostgresError) -> (table: String, number: Int, key: Int64)? {
            guard error.sqlState == "22P02", let start = error.message.range(of: marker) else { return nil }
            let parts = error.message[start.upperBound...].split(
                separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, let number = Int(parts[1]), let key = Int64(parts[2]) else { return nil }
            return (String(parts[0]), number, key)
        }
    }

    /// The text of an array, to which elements are appended.
    ///
    /// <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>
    struct ArrayText: Sendable {
        private var bytes: [UInt8] = []
        /// The end of each element in ``bytes``.
        private var ends: [Int] = []

        mutating func append(_ value: PropertyValue) {
            if !ends.isEmpty { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .null, .references: bytes += "NULL".utf8
            case .integer(let integer): bytes += "\(integer)".utf8
            case .real(let real): bytes += (real.isNaN ? "NaN" : "\(real)").utf8
            case .reference(let identifier):
                bytes += identifier.integerPrimaryKey.map { "\($0)".utf8 } ?? "NULL".utf8
            case .text(let text):
                bytes.append(UInt8(ascii: "\""))
                for byte in text.utf8 {
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                    bytes.append(byte)
                }
                bytes.append(UInt8(ascii: "\""))
            case .blob(let data):
                bytes += #""\\x"#.utf8
                let digits = Array("0123456789abcdef".utf8)
                for byte in data {
                    bytes.append(digits[Int(byte >> 4)])
                    bytes.append(digits[Int(byte & 15)])
                }
                bytes.append(UInt8(ascii: "\""))
            }
            ends.append(bytes.count)
        }

        /// Returns the parameter with the elements.
        ///
        /// - Parameter selected: The indices of the elements, or `nil` for all.
        func parameter(_ selected: [Int]?) -> SQLQuery { "\(value: .text(text(selected)))" }

        private func text(_ selected: [Int]?) -> String {
            guard let selected else {
                return String(unsafeUninitializedCapacity: bytes.count + 2) { buffer in
                    buffer[0] = UInt8(ascii: "{")
                    _ = UnsafeMutableBufferPointer(rebasing: buffer[1...]).initialize(from: bytes)
                    buffer[bytes.count + 1] = UInt8(ascii: "}")
                    return bytes.count + 2
                }
            }
            let elements = selected.map { index in
                // Without the comma before it.
                String(decoding: bytes[(index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]], as: UTF8.self)
            }
            return "{\(elements.joined(separator: ","))}"
        }
    }
#endif
