#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    // Encodes the values of rows as parameters.

    /// The keys of new rows are in place of temporary references.
    struct RowValues {
        let storeIdentifier: String
        /// The permanent identifiers by temporary identifier.
        var replacements: [PersistentIdentifier: PersistentIdentifier] = [:]

        func append(
            _ value: PropertyValue, _ snapshot: DefaultSnapshot, _ slot: Int, of table: EntityTable,
            to parameters: inout Parameters
        ) throws {
            switch (value, table.columns[slot].type) {
            case (.null, let type): parameters.appendNull(type.element)
            case (.integer(let integer), .integer): parameters.append(integer)
            case (.reference(let identifier), .integer):
                parameters.append(try key(identifier, snapshot, slot, of: table))
            case (.real(let real), .real): parameters.append(real)
            case (.integer(let integer), .real):
                parameters.append(try real(integer, snapshot, slot, of: table))
            case (.text(let text), .text):
                try requireNoNUL(text, snapshot, slot, of: table)
                parameters.append(text)
            case (.blob(let data), .blob): parameters.append(data)
            default: throw wrongForm(value, snapshot, slot, of: table)
            }
        }

        func append(
            _ slot: Int, _ snapshots: ArraySlice<DefaultSnapshot>, of table: EntityTable,
            to parameters: inout Parameters
        ) throws {
            let type = table.columns[slot].type
            var array = ParameterArray(type.element)
            array.reserveCapacity(snapshots.count * (type == .text || type == .blob ? 24 : 12))
            for snapshot in snapshots {
                switch (snapshot.values[slot], type) {
                case (.null, _): array.appendNull()
                case (.integer(let integer), .integer): array.append(integer)
                case (.reference(let identifier), .integer):
                    array.append(try key(identifier, snapshot, slot, of: table))
                case (.real(let real), .real): array.append(real)
                case (.integer(let integer), .real): array.append(try real(integer, snapshot, slot, of: table))
                case (.text(let text), .text):
                    try requireNoNUL(text, snapshot, slot, of: table)
                    array.append(text)
                case (.blob(let data), .blob): array.append(data)
                case (let value, _): throw wrongForm(value, snapshot, slot, of: table)
                }
            }
            parameters.append(array)
        }

        private func key(
            _ identifier: PersistentIdentifier, _ snapshot: DefaultSnapshot, _ slot: Int, of table: EntityTable
        ) throws -> Int64 {
            let permanent = identifier.isTemporary ? replacements[identifier] ?? identifier : identifier
            if let key = permanent.integerPrimaryKey, permanent.storeIdentifier == storeIdentifier { return key }
            throw SwiftDataError.unresolvedReference(
                entityName: table.entity.name, propertyName: table.columns[slot].name,
                persistentIdentifier: snapshot.persistentIdentifier)
        }

        /// The history of an SQLite file can have an integer as the value of a real, if another program wrote it.
        private func real(
            _ integer: Int64, _ snapshot: DefaultSnapshot, _ slot: Int, of table: EntityTable
        ) throws -> Double {
            guard let real = Double(exactly: integer) else {
                throw wrongForm(.integer(integer), snapshot, slot, of: table)
            }
            return real
        }

        private func requireNoNUL(
            _ text: String, _ snapshot: DefaultSnapshot, _ slot: Int, of table: EntityTable
        ) throws {
            // The JSON functions reject the escape \u0000, except after an escaped backslash.
            func hasEscape() -> Bool {
                text.contains("\\u0000") && text.replacing("\\\\", with: "").contains("\\u0000")
            }
            guard text.utf8.contains(0) || table.columns[slot].isJSON && hasEscape() else { return }
            throw SwiftDataError.valueOutOfRange.with(
                detail: "PostgreSQL cannot store a text with a NUL character (U+0000); remove the character",
                entityName: table.entity.name, propertyName: table.columns[slot].name,
                persistentIdentifier: snapshot.persistentIdentifier)
        }

        private func wrongForm(
            _ value: PropertyValue, _ snapshot: DefaultSnapshot, _ slot: Int, of table: EntityTable
        ) -> SwiftDataError {
            .modelValidationFailure.with(
                detail: "the column has the type \(table.columns[slot].type.name), but the value is \(value.formName)",
                entityName: table.entity.name, propertyName: table.columns[slot].name,
                persistentIdentifier: snapshot.persistentIdentifier)
        }
    }
#endif
