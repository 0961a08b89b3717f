#if Seals
    import ChronicleCore
    import ChronicleSQLite
    import ChronicleTestSupport
    import Foundation

    /// Changes one value, or deletes one row, that a seal contains.
    struct SealTampering {
        private struct Table {
            let name: String
            let keys: [String]
            let columns: [String]
            /// The rows and values that seals contain, after the boundary `first` up to `last`.
            let condition: String
            var canDelete = true
        }

        private static let change = "id > ?1 AND id <= ?2 AND kind <> 0"
        private static let header =
            "position IN (SELECT id FROM chronicle_change WHERE id > ?1 AND id <= ?2 AND kind < 0)"
        private static let event = "SELECT id FROM chronicle_event WHERE seal IS NOT NULL"

        private static let tables = [
            Table(
                name: "chronicle_change", keys: ["id"], columns: ["kind", "primary_key", "attributes"],
                condition: change),
            Table(
                name: "chronicle_change", keys: ["id"], columns: ["old_value", "new_value"],
                condition: "\(change) AND (kind > 0 AND kind & 15 <> 2 AND attributes IS NOT NULL OR kind < 0)"),
            Table(
                name: "chronicle_metadata", keys: ["position", "name"], columns: ["value", "name"], condition: header),
            Table(
                name: "chronicle_source", keys: ["id"], columns: ["author", "context", "program"],
                condition: "id IN (SELECT -kind FROM chronicle_change WHERE id > ?1 AND id <= ?2 AND kind < 0)"),
            Table(
                name: "chronicle_seal", keys: ["number"],
                columns: [
                    "number", "last", "last_check", "sealed", "previous", "transactions", "catalog", "catalog_hash",
                    "hash",
                ], condition: "number > 0"),
            Table(
                name: "chronicle_commitment", keys: ["position"], columns: ["attribute", "key", "commitment", "event"],
                condition: "position > ?1 AND position <= ?2"),
            Table(
                name: "chronicle_event", keys: ["id"],
                columns: ["kind", "time", "author", "program", "process", "detail", "seal"],
                condition: "seal IS NOT NULL"),
            Table(
                name: "chronicle_event_part", keys: ["event", "seal"], columns: ["content"],
                condition: "event IN (\(event)) AND content IS NOT NULL AND length(content) > 0"),
            Table(
                name: "chronicle_attribute", keys: ["entity", "number"], columns: ["name", "type", "present"],
                condition: "NOT EXISTS (SELECT 1 FROM chronicle_event WHERE seal IS NULL AND kind = 'names')",
                canDelete: false),
        ]

        /// What was changed, for the message of a failure.
        let description: String
        private let table: String
        private let condition: String
        private let columns: [String]
        /// The row as SQL literals.
        private let values: [String]
        private let tampering: String

        /// Chooses a row; `nil` if a table is empty, or the chosen value is missing.
        init?(_ connection: Connection, _ random: inout SplitMix) throws {
            let table = random.pick(Self.tables)
            let limits = try connection.prepare(
                """
                SELECT CASE WHEN min(number) > 1 OR EXISTS (SELECT 1 FROM chronicle_event WHERE kind = 'purge') \
                THEN min(number) END, max(last) FROM chronicle_seal
                """)
            guard try limits.step() else { return nil }
            let first =
                try limits.isNull(0)
                ? 0 : connection.scalarInt64("SELECT last FROM chronicle_seal WHERE number = \(limits.int64(0))") ?? 0
            let condition = table.condition.replacing("?1", with: "\(first)").replacing(
                "?2", with: "\(limits.int64(1))")
            guard let count = try connection.scalarInt64("SELECT count(*) FROM \(table.name) WHERE \(condition)"),
                count > 0
            else { return nil }
            let names = try connection.prepare("SELECT name FROM pragma_table_info('\(table.name)')")
            var columns: [String] = []
            while try names.step() { columns.append(names.text(0)) }
            let row = try connection.prepare(
                """
                SELECT \(columns.map { "quote(\"\($0)\")" }.joined(separator: ", ")) FROM \(table.name) WHERE \(condition) \
                LIMIT 1 OFFSET \(random.below(Int(count)))
                """)
            guard try row.step() else { return nil }
            let values = columns.indices.map { row.text(Int32($0)) }
            self.table = table.name
            self.columns = columns
            self.values = values
            func value(_ column: String) -> String { columns.firstIndex(of: column).map { values[$0] } ?? "NULL" }
            let keys = table.keys.map { "\($0) = \(value($0))" }.joined(separator: " AND ")
            if table.canDelete, random.below(6) == 0 {
                (self.condition, tampering) = (keys, "DELETE FROM \(table.name) WHERE \(keys)")
            } else {
                let column = random.pick(table.columns)
                guard let changed = Self.changed(value(column), column, &random) else { return nil }
                tampering = "UPDATE \(table.name) SET \(column) = \(changed) WHERE \(keys)"
                // The key itself can be the changed value.
                self.condition = table.keys.map { "\($0) = \($0 == column ? changed : value($0))" }
                    .joined(separator: " AND ")
            }
            description = tampering
        }

        /// Returns another literal.
        private static func changed(_ literal: String, _ column: String, _ random: inout SplitMix) -> String? {
            if literal == "NULL" { return ["old_value", "new_value"].contains(column) ? "'x'" : nil }
            if literal.hasPrefix("'") { return "\(literal) || 'x'" }
            guard literal.hasPrefix("X'") else { return "\(literal) + \(random.below(3) + 1)" }
            var digits = Array(literal.utf8)
            let index = 2 + random.below(digits.count - 3)
            guard digits.count > 3 else { return "x'00'" }
            digits[index] = digits[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            return String(decoding: digits, as: UTF8.self)
        }

        func apply(_ connection: Connection) throws {
            try connection.setTriggersEnabled(false)
            try connection.execute(tampering)
        }

        func revert(_ connection: Connection) throws {
            try connection.execute(
                """
                DELETE FROM \(table) WHERE \(condition); INSERT INTO \(table)(\(columns.joined(separator: ", "))) \
                VALUES (\(values.joined(separator: ", ")))
                """)
        }
    }
#endif
