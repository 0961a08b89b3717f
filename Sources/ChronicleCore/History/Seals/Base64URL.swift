package import Foundation

/// Base64url without padding: https://www.rfc-editor.org/rfc/rfc4648#section-5
package enum Base64URL {
    package static func text(_ bytes: some DataProtocol) -> String {
        let base64 = Data(bytes).base64EncodedData()
        return String(
            decoding: base64.lazy.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }

    /// Returns the bytes of a text; `nil` for every text that ``text(_:)`` does not return, such as one with padding or with
    /// unused bits.
    package static func bytes(_ text: String) -> [UInt8]? {
        var base64 = Data()
        base64.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            default: base64.append(byte)
            }
        }
        base64.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - base64.count % 4) % 4))
        guard let bytes = Data(base64Encoded: base64), Self.text(bytes).utf8.elementsEqual(text.utf8) else {
            return nil
        }
        return Array(bytes)
    }
}
