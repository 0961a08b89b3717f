#if Postgres
    import ChronicleSQLStore

    /// The arrays of a change with its preserved values.
    struct PreservedColumns {
        /// The values in the statement of a trigger.
        struct Values {
            var old: String?
            var new: String?
            /// The type as the server names it.
            let type: String
            /// `nil` if the attribute is always preserved.
            var condition: String?
        }

        let numbers: String
        let oldValues: String
        let newValues: String

        /// - Parameter values: Returns the values of the column at an index.
        init(_ columns: [(number: Int, extent: Preservation.Extent)], _ values: (_ index: Int) -> Values) {
            let preserved: [(Int, Values)] = columns.indices.filter { columns[$0].extent != .none }.map { index in
                var values = values(index)
                if columns[index].extent == .limited, values.type == "text" || values.type == "bytea" {
                    let sizes = [values.old, values.new].compactMap { $0 }
                        .map { "coalesce(octet_length(\($0)), 0) <= \(Preservation.sizeLimit)" }
                    values.condition = ([values.condition].compactMap { $0 } + sizes).joined(separator: " AND ")
                }
                return (columns[index].number, values)
            }
            numbers = Self.array(preserved.map { ("\($0)::smallint", $1.condition) }, "smallint")
            oldValues = Self.texts(preserved.map(\.1), \.old)
            newValues = Self.texts(preserved.map(\.1), \.new)
        }

        private static func texts(_ values: [Values], _ column: (Values) -> String?) -> String {
            array(
                values.compactMap { values in
                    column(values).map { (PreservedText.expression($0, type: values.type), values.condition) }
                }, "text")
        }

        /// The elements whose conditions are met, which may be NULL; NULL if there are none.
        private static func array(_ elements: [(value: String, condition: String?)], _ type: String) -> String {
            guard !elements.isEmpty else { return "NULL" }
            var parts: [String] = []
            var known: [String] = []
            func flush() {
                if !known.isEmpty { parts.append("ARRAY[\(known.joined(separator: ", "))]::\(type)[]") }
                known = []
            }
            for (value, condition) in elements {
                guard let condition else {
                    known.append(value)
                    continue
                }
                flush()
                parts.append("CASE WHEN \(condition) THEN ARRAY[\(value)]::\(type)[] END")
            }
            flush()
            return parts.count == 1 ? parts[0] : "nullif(\(parts.joined(separator: " || ")), '{}')"
        }
    }
#endif
