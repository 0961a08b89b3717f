import ChronicleSQL
import ChronicleSQLite
import Foundation

/// SQL functions that convert values of Core Data to the form in which `PropertyValue` contains them.
enum AppleFunctions {
    /// The external data of a file is beside its path.
    static func all(path: String) -> [SQLFunction] {
        [decimal, json, uuid, base64, external(ExternalData(path: path))]
    }

    /// The text of a `Decimal`. SwiftData writes the column as a number.
    private static let decimal = SQLFunction("chronicle_apple_decimal", argumentCount: 1) { call in
        switch call.value(0) {
        case .null: nil
        case .integer(let value): .text(Decimal(value).description)
        // The shortest text of the number, not all of its binary digits.
        case .real(let value): .text(canonical("\(value)"))
        case .text(let text): .text(canonical(String(decoding: text, as: UTF8.self)))
        case .blob(let bytes): .blob(Array(bytes))
        }
    }

    static func canonical(_ text: String) -> String {
        // A text that is no number stays as it is, and the context reports it.
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))?.description ?? text
    }

    /// Arrays and other values as JSON.
    private static let json = SQLFunction("chronicle_apple_json", argumentCount: 1) { call in
        switch call.value(0) {
        case .null: nil
        case .integer(let value): .text(String(value))
        case .real(let value): .text(value.isFinite ? "\(value)" : "null")
        case .text(let text): .text(String(decoding: text, as: UTF8.self))
        case .blob(let bytes): ArchivedValue.json(bytes).map { .text($0) } ?? .blob(Array(bytes))
        }
    }

    /// A UUID as text, for the members of a composite attribute.
    private static let uuid = SQLFunction("chronicle_apple_uuid", argumentCount: 1) { call in
        guard case .blob(let bytes) = call.value(0), bytes.count == 16 else { return nil }
        return .text(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
    }

    /// Data as text, for the members of a composite attribute.
    private static let base64 = SQLFunction("chronicle_apple_base64", argumentCount: 1) { call in
        guard case .blob(let bytes) = call.value(0) else { return nil }
        return .text(Data(bytes).base64EncodedString())
    }

    private static func external(_ data: ExternalData) -> SQLFunction {
        SQLFunction("chronicle_apple_data", argumentCount: 1) { call in
            guard case .blob(let bytes) = call.value(0) else { return nil }
            switch data.content(of: bytes) {
            case .inline(let bytes): return .blob(Array(bytes))
            case .file(let bytes): return .blob(bytes)
            case .missing(let name): return .error("\(missingFile)\(name)")
            }
        }
    }

    private static let missingFile = "missing external data: "

    /// Returns the name of the file in an error of `chronicle_apple_data`.
    static func missingFile(_ message: String) -> String? {
        message.hasPrefix(missingFile) ? String(message.dropFirst(missingFile.count)) : nil
    }
}

/// The files in the support folder of a store, in which Core Data keeps large values of attributes with external storage.
/// The first byte of the column is 1 before a value, or 2 before the name of a file, a UUID that ends with a NUL character.
/// Articles describe this; no store of the tests made by Apple's frameworks has such values.
struct ExternalData: Sendable {
    enum Content {
        case inline(UnsafeRawBufferPointer)
        case file([UInt8])
        case missing(String)
    }

    private let folders: [URL]

    init(path: String) {
        let url = URL(fileURLWithPath: path)
        let names = [url.deletingPathExtension().lastPathComponent, url.lastPathComponent]
        folders = names.map {
            url.deletingLastPathComponent().appending(path: ".\($0)_SUPPORT").appending(path: "_EXTERNAL_DATA")
        }
    }

    var exists: Bool { folders.contains { FileManager.default.fileExists(atPath: $0.path) } }

    /// No other data has the form of a reference to a file by accident.
    static func isReference(_ value: SQLQuery) -> SQLQuery {
        """
        typeof(\(value)) = 'blob' AND length(\(value)) = 38 AND substr(\(value), 1, 1) = x'02' AND \
        substr(\(value), 38) = x'00' AND CAST(substr(\(value), 2, 36) AS TEXT) \
        GLOB '????????-????-????-????-????????????'
        """
    }

    func content(of bytes: UnsafeRawBufferPointer) -> Content {
        switch bytes.first {
        case 1: return .inline(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        case 2:
            let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
            // A name in another form could be a path out of the folder; the value is then not a reference.
            guard bytes.count == 38, let uuid = UUID(uuidString: name) else { return .inline(bytes) }
            for folder in folders {
                for name in [name, uuid.uuidString] where Self.isReadable(folder.appending(path: name)) {
                    // A file that cannot be read is as good as missing, and the error names it.
                    if let data = try? Data(contentsOf: folder.appending(path: name)) { return .file(Array(data)) }
                }
            }
            return .missing(uuid.uuidString)
        default: return .inline(bytes)
        }
    }

    /// SQLite must accept the file as a value: it is not a link or a pipe.
    private static func isReadable(_ file: URL) -> Bool {
        // A file that does not exist, or that may not be read, is reported as missing.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else { return false }
        let size = (attributes[.size] as? NSNumber)?.int64Value ?? .max
        return attributes[.type] as? FileAttributeType == .typeRegular && size <= 1_000_000_000
    }
}
