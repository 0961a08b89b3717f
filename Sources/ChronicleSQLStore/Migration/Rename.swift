/// A change of a name.
package struct Rename: Hashable, Sendable {
    package let old: String
    package let new: String

    package init(_ old: String, to new: String) { (self.old, self.new) = (old, new) }
}

extension [Rename] {
    /// Whether some of the names are exchanged, directly or in a cycle.
    package var containsCycle: Bool {
        let next = Dictionary(map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        return contains { rename in
            var name = rename.new
            for _ in 0..<count {
                if name == rename.old { return true }
                guard let following = next[name] else { return false }
                name = following
            }
            return false
        }
    }

    /// Returns the same renames in an order in which each new name is free, with temporary names where they form cycles
    /// or change only the case of a name.
    ///
    /// - Parameters:
    ///   - names: The names that are used before. Each new one is free, or belongs to a name that changes.
    ///   - fold: A closure that returns the form in which the database compares names.
    ///   - temporaryName: A closure that returns an unused name for a number.
    package func steps(
        in names: some Sequence<String>, fold: (String) -> String, temporaryName: (Int) -> String
    ) -> [Rename] {
        var used = Set(names.map(fold))
        var waiting = self
        var steps: [Rename] = []
        func take(_ step: Rename) {
            steps.append(step)
            used.remove(fold(step.old))
            used.insert(fold(step.new))
        }
        var temporaryCount = 0
        while !waiting.isEmpty {
            if let index = waiting.firstIndex(where: { !used.contains(fold($0.new)) }) {
                take(waiting.remove(at: index))
            } else {
                let rename = waiting.removeFirst()
                let name = temporaryName(temporaryCount)
                temporaryCount += 1
                take(Rename(rename.old, to: name))
                waiting.append(Rename(name, to: rename.new))
                // Two temporary names for one rename show that a name will never be free.
                if temporaryCount > count { return steps }
            }
        }
        return steps
    }
}
