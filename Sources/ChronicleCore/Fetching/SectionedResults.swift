/// The results of a ``ResultsObserver``, grouped into sections.
///
/// The sections are in the order of their first model, and confined to the task or actor of the context. A section can also be
/// found by its title:
///
/// ```swift
/// let italy = observer.sections?[sectionTitle: "Italy"]
/// ```
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
    private let sections: [ResultsSection<Element, SectionTitle>]
    private let indices: [Key: Int]

    /// Equals another title as values of its type do in the store.
    private struct Key: Hashable {
        let title: SectionTitle

        static func == (lhs: Self, rhs: Self) -> Bool {
            guard let a = lhs.title as? String, let b = rhs.title as? String else { return lhs.title == rhs.title }
            return a.hasSameBytes(as: b)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(title) }
    }

    init(_ models: some Sequence<Element>, by title: (Element) -> SectionTitle) {
        var indices: [Key: Int] = [:]
        var groups: [(title: SectionTitle, models: [Element])] = []
        for model in models {
            let title = title(model)
            if let index = indices[Key(title: title)] {
                groups[index].models.append(model)
            } else {
                indices[Key(title: title)] = groups.count
                groups.append((title, [model]))
            }
        }
        self.indices = indices
        sections = groups.map { ResultsSection(title: $0.title, models: $0.models) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { sections.count }

    public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }

    /// The titles of the sections, in order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of sections.
    public var sectionTitles: [SectionTitle] { sections.map(\.title) }

    /// The section with a title, or `nil` if no model has that title.
    ///
    /// - Parameter title: The title.
    public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
        indices[Key(title: title)].map { sections[$0] }
    }

    /// Returns whether a model has a title.
    ///
    /// - Parameter title: The title.
    /// - Returns: `true` if there is a section with the title.
    public func contains(sectionTitle title: SectionTitle) -> Bool { indices[Key(title: title)] != nil }

    /// Returns the position of the section with a title.
    ///
    /// - Parameter title: The title.
    /// - Returns: The position, or `nil` if no model has that title.
    public func index(ofSectionTitled title: SectionTitle) -> Int? { indices[Key(title: title)] }
}

extension SectionedResults: Equatable {
    /// - Complexity: O(*n*), where *n* is the number of models.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        // The indices tell titles apart that Swift takes as equal.
        lhs.sections == rhs.sections && lhs.indices == rhs.indices
    }
}
