import Foundation

/// The content of a row, prepared before the measurement: Swift values for Chronicle, and the bytes to bind for the C
/// API.
struct SampleTrip {
    let name: String
    let destination: String
    let startDate: Date
    let endDate: Date
    let nights: Int
    let rating: Int
    let isBooked: Bool

    let nameText: StaticText
    let destinationText: StaticText

    /// A trip whose name is too long for Swift's small strings, and whose destination is not.
    init(_ index: Int) {
        name = "Weekend in Lisbon \(index)"
        destination = ["Portugal", "Spain", "Italy", "Greece", "Norway"][index % 5]
        nights = 1 + index % 20
        startDate = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(index) * 3_600.25)
        endDate = startDate.addingTimeInterval(Double(nights) * 86_400)
        rating = index % 6
        isBooked = index.isMultiple(of: 3)
        nameText = StaticText(name)
        destinationText = StaticText(destination)
    }

    static let all: [SampleTrip] = (0..<10_000).map(SampleTrip.init)

    /// Returns the sample for a row of a longer table.
    static func at(_ index: Int) -> SampleTrip { all[index % all.count] }
}

/// UTF-8 text that lives as long as the program, so that SQLite need not copy it.
///
/// `@unchecked Sendable`: written once, before other threads access it.
struct StaticText: @unchecked Sendable {
    let start: UnsafePointer<CChar>
    let count: Int32

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { (memory + index).initialize(to: CChar(bitPattern: byte)) }
        start = UnsafePointer(memory)
        count = Int32(bytes.count)
    }
}
