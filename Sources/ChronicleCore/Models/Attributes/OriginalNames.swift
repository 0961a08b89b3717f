import Synchronization

/// A process-wide table of original property names, so that a wrapper stores a two-byte number instead of a pointer.
@usableFromInline
enum OriginalNames {
    private struct Table {
        var names: [String] = []
        /// The numbers by the address of the literal, which lives as long as the program.
        var numbers: [UInt: UInt16] = [:]
    }

    private static let table = Mutex(Table())

    /// The number is 1 or greater.
    @usableFromInline
    static func number(_ name: StaticString) -> UInt16 {
        table.withLock { table in
            let address = UInt(bitPattern: name.utf8Start)
            if let number = table.numbers[address] { return number }
            table.names.append(name.description)
            let number = UInt16(table.names.count)
            table.numbers[address] = number
            return number
        }
    }

    static func name(_ number: UInt16) -> String? {
        number == 0 ? nil : table.withLock { $0.names[Int(number) - 1] }
    }
}
