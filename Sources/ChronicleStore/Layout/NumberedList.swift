/// Elements by their numbers in a file, which are usually consecutive, so that the index follows from the number. Arbitrary
/// numbers in files from other sources use no additional memory.
struct NumberedList<Element> {
    private let elements: [(number: Int64, element: Element)]

    init(_ elements: some Sequence<(number: Int64, element: Element)>) {
        self.elements = elements.sorted { $0.number < $1.number }
    }

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
