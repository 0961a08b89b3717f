extension String {
    /// The text in quotation marks. Only what JSON requires is escaped.
    package var jsonString: String {
        let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain { return "\"\(self)\"" }
        var json = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\":
                json += "\\"
                json.unicodeScalars.append(scalar)
            case "\0"..<" ":
                let code = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
