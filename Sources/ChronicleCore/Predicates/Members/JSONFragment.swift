/// Parsed JSON, to compare encodings independently of their format.
indirect enum JSONFragment: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONFragment])
    case object([String: JSONFragment])
}

extension JSONFragment: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder does not tell the kind of a value: decoding it as another kind fails.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONFragment].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONFragment].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    func has(_ form: JSONForm) -> Bool {
        switch (self, form) {
        case (.string, .text), (.string, .uuid), (.string, .data), (.number, .real), (.number, .float),
            (.number, .decimal), (.number, .integer), (.bool, .integer), (.array, .json), (.object, .json):
            true
        default: false
        }
    }
}
