/// The unique values for one constraint of an entity, and their owners.
///
/// ``UniqueMatches`` refers to unique values by their numbers here, so that it hashes them only once for each model and row.
struct UniqueOwners {
    /// May have had the values before other models were merged into it.
    enum Owner {
        case group(Int)
        /// The first of the inserted models with these values, which belongs to a group once there is a second one.
        case inserted(Int)
    }

    private(set) var combinations = DataStoreLookup.Combinations([])
    private var owners: [Owner?] = []
    private var lookedUp = 0

    /// Reserving space before each lookup could copy all combinations each time.
    mutating func reserveCapacity(_ count: Int) {
        guard owners.isEmpty else { return }
        combinations.reserveCapacity(count)
        owners.reserveCapacity(count)
    }

    /// Adds the values if necessary.
    mutating func number(of key: [PropertyValue]) -> Int {
        let number = combinations.insert(key)
        if number == owners.count { owners.append(nil) }
        return number
    }

    subscript(number: Int) -> Owner? {
        get { owners[number] }
        set { owners[number] = newValue }
    }

    /// Returns the numbers whose rows were not looked up yet, and marks them as looked up.
    mutating func beginLookup() -> Range<Int> {
        defer { lookedUp = owners.count }
        return lookedUp..<owners.count
    }
}
