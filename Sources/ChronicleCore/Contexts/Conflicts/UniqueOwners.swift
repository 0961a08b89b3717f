/// The unique values for one constraint of an entity, and their owners.
///
/// ``UniqueMatches`` refers to unique values by their numbers here, so that it hashes them only once for each model and once
/// for each row.
struct UniqueOwners {
    /// The owner of unique values, or the one that had them before other models were merged into it.
    enum Owner {
        case group(Int)
        /// The first of the inserted models with these values, which belongs to a group once there is a second one.
        case inserted(Int)
    }

    private(set) var combinations = DataStoreLookup.Combinations([])
    private var owners: [Owner?] = []
    /// The number of combinations whose rows were looked up.
    private var lookedUp = 0

    /// Reserves space for the first combinations. Reserving space before each lookup could copy all of them each time.
    mutating func reserveCapacity(_ count: Int) {
        guard owners.isEmpty else { return }
        combinations.reserveCapacity(count)
        owners.reserveCapacity(count)
    }

    /// Returns the number of unique values, which are added if necessary.
    mutating func number(of key: [PropertyValue]) -> Int {
        let number = combinations.insert(key)
        if number == owners.count { owners.append(nil) }
        return number
    }

    /// The owner of the unique values with a number.
    subscript(number: Int) -> Owner? {
        get { owners[number] }
        set { owners[number] = newValue }
    }

    /// Returns the numbers of the unique values whose rows were not looked up yet, and marks them as looked up.
    mutating func beginLookup() -> Range<Int> {
        defer { lookedUp = owners.count }
        return lookedUp..<owners.count
    }
}
