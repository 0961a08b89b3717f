/// Elements that a file identifies by numbers. Numbers are assigned consecutively, so the index of an element usually
/// follows from its number; arbitrary numbers in files from other sources use no additional memory.
struct NumberedList<Element> {
    /// The elements in the order of their numbers.
    private let elements: [(number: Int64, element: Element)]

    /// Creates a list.
    ///
    /// - Parameter elements: The elements in any order, with unique numbers.
    init(_ elements: some Sequence<(number: Int64, element: Element)>) {
        self.elements = elements.sorted { $0.number < $1.number }
    }

    /// The element with a number, or `nil` if there is none.
    subscript(number: Int64) -> Element? {
        guard let first = elements.first, number >= first.number else { return nil }
        let place = UInt64(bitPattern: number &- first.number)
        if place < elements.count, elements[Int(place)].number == number { return elements[Int(place)].element }
        return search(number)
    }

    private func search(_ number: Int64) -> Element? {
        var places = elements.indices
        while let first = places.first {
            let middle = first + places.count / 2
            if elements[middle].number == number { return elements[middle].element }
            places = elements[middle].number < number ? middle + 1..<places.upperBound : first..<middle
        }
        return nil
    }

    func numbers(where matches: (Element) -> Bool) -> [Int64] {
        elements.filter { matches($0.element) }.map(\.number)
    }
}

extension NumberedList: Sendable where Element: Sendable {}
