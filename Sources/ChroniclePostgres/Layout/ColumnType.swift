#if Postgres
    import ChronicleCPostgres
    import ChronicleCore
    import Foundation

    enum ColumnType: String, CaseIterable, Sendable {
        case integer = "bigint"
        case real = "double precision"
        /// In the order of Unicode scalars, which is that of the bytes.
        case text = "text COLLATE \"C\""
        case blob = "bytea"

        init(_ property: Schema.Property) {
            self =
                switch property.attribute?.storage {
                case .integer, nil: .integer
                case .real: .real
                case .text, .decimal, .json: .text
                case .blob: .blob
                }
        }

        /// The name in casts and in the catalog of the server, `format_type`.
        var name: String {
            switch self {
            case .text: "text"
            default: rawValue
            }
        }

        var element: ElementType {
            switch self {
            case .integer: .int8
            case .real: .float8
            case .text: .text
            case .blob: .bytea
            }
        }

        /// Returns whether values of a type that the server numbers have this form. Another program may have chosen a type of
        /// texts, or a shorter one of integers.
        func includes(_ type: Oid) -> Bool {
            switch self {
            case .integer: [16, 20, 21, 23].contains(type)
            case .real: type == ElementType.float8.rawValue
            case .text: ![ElementType.int8, .float8, .bytea].map(\.rawValue).contains(type)
            case .blob: type == ElementType.bytea.rawValue
            }
        }

        /// Returns whether ``includes(_:)`` is true for a type that the server names.
        func includes(named type: String) -> Bool {
            switch self {
            case .integer: ["bigint", "integer", "smallint", "boolean"].contains(type)
            case .real, .blob: type == name
            case .text: ![ColumnType.integer, .real, .blob].map(\.name).contains(type)
            }
        }

        /// `nil` if the column cannot contain the value.
        func literal(_ value: PropertyValue) -> String? {
            switch (self, value) {
            case (_, .null): "NULL"
            case (.integer, .integer(let integer)): "'\(integer)'::bigint"
            case (.real, .real(let real)): "'\(real.isNaN ? "NaN" : "\(real)")'::double precision"
            case (.text, .text(let text)):
                text.utf8.contains(0) ? nil : "\(ChroniclePostgres.literal(text))::text"
            case (.blob, .blob(let data)):
                "decode('\(data.base64EncodedString())', 'base64')"
            default: nil
            }
        }
    }
#endif
