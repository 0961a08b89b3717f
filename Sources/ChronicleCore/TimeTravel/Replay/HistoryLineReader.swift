import Foundation

/// Divides data that arrives in parts into lines.
struct HistoryLineReader {
    private let nextPart: () throws -> Data?
    private var buffer = Data()
    private var start = 0
    /// Up to here, the buffer is known to contain no further line break.
    private var searched = 0

    init(_ nextPart: @escaping () throws -> Data?) { self.nextPart = nextPart }

    /// The last line may have no line break.
    mutating func next() throws -> Data? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, searched) = (end + 1, end + 1) }
                return Data(buffer[start...end])
            }
            buffer.removeSubrange(..<start)
            (start, searched) = (0, buffer.count)
            guard let part = try nextPart() else {
                defer { (buffer, searched) = (Data(), 0) }
                return buffer.isEmpty ? nil : buffer
            }
            buffer.append(part)
        }
    }
}
