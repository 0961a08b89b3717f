#if Postgres
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
