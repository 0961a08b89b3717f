import Synchronization

/// The former names that declarations mention, by a number: a wrapper keeps two bytes of it instead of a pointer.
@usableFromInline
enum OriginalNames {
    private struct Known {
        var names: [String] = []
        /// By the address of the literal, which lives as long as the program.
        var numbers: [UInt: UInt16] = [:]
    }

    private static let known = Mutex(Known())

    /// The number of a literal, 1 or greater.
    @usableFromInline
    static func number(_ name: StaticString) -> UInt16 {
        known.withLock { known in
            let address = UInt(bitPattern: name.utf8Start)
            if let number = known.numbers[address] { return number }
            known.names.append(name.description)
            let number = UInt16(known.names.count)
            known.numbers[address] = number
            return number
        }
    }

    /// The name with this number; `nil` for 0.
    static func name(_ number: UInt16) -> String? {
        number == 0 ? nil : known.withLock { $0.names[Int(number) - 1] }
    }
}
