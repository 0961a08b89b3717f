/// The changes during which the paths of an aggregate reached models.
struct AggregateSpans {
    /// Of one model and path.
    private struct Spans {
        let path: Int
        /// Disjoint, in descending order.
        var changes: [ClosedRange<Int>]
    }

    private let root: PersistentIdentifier
    private var spans: [PersistentIdentifier: [Spans]] = [:]
    /// The number of ranges that were compared, from which tests conclude the complexity.
    private(set) var comparisons = 0

    init(_ root: PersistentIdentifier) { self.root = root }

    /// The changes are before those that were added for the model and the path.
    mutating func add(_ model: PersistentIdentifier, _ path: Int, _ changes: ClosedRange<Int>) {
        if let index = spans[model]?.firstIndex(where: { $0.path == path }) {
            spans[model]?[index].changes.append(changes)
        } else {
            spans[model, default: []].append(Spans(path: path, changes: [changes]))
        }
    }

    /// Returns the indices of the paths that reached a model directly before or after the transaction of a change; `nil` if the
    /// change does not belong to the aggregate.
    mutating func paths(to model: PersistentIdentifier, at number: Int) -> [Int]? {
        guard let spans = spans[model] else { return model == root ? [] : nil }
        var paths: [Int] = []
        for spans in spans where contains(spans.changes, number) { paths.append(spans.path) }
        return paths.isEmpty && model != root ? nil : paths.sorted()
    }

    private mutating func contains(_ ranges: [ClosedRange<Int>], _ number: Int) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            comparisons += 1
            if ranges[middle].lowerBound > number { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(number)
    }
}
