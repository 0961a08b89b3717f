/// The models of a ``ResultsObserver`` that have the same section title.
///
/// A section is a collection of its models, in the order of the results, and confined to their task or actor.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
    /// The value that the models of the section have in common.
    public let title: SectionTitle
    let models: [Element]

    public var id: SectionTitle { title }
    public var startIndex: Int { 0 }
    public var endIndex: Int { models.count }

    public subscript(position: Int) -> Element { models[position] }
}

extension ResultsSection: Equatable {
    /// Compares the titles and the models.
    ///
    /// - Complexity: O(*n*), where *n* is the number of models.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.title == rhs.title && lhs.models.elementsEqual(rhs.models) { $0 === $1 }
    }
}
