/// The models of a ``ResultsObserver`` that have the same section title.
///
/// A section is a collection of its models, in the order of the results:
///
/// ```swift
/// for section in observer.sections ?? [] {
///     print(section.title, section.count)
/// }
/// ```
///
/// Like its models, a section is confined to the task or actor that uses the context.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
    /// The value that the models of the section have in common.
    public let title: SectionTitle
    let models: [Element]

    /// The identity of the section: its ``title``.
    public var id: SectionTitle { title }
    /// The position of the first model, 0.
    public var startIndex: Int { 0 }
    /// The number of models.
    public var endIndex: Int { models.count }

    /// The model at a position.
    ///
    /// - Parameter position: A position from 0 up to, but not including, the number of models.
    /// - Complexity: O(1).
    public subscript(position: Int) -> Element { models[position] }
}

extension ResultsSection: Equatable {
    /// Returns whether two sections have the same title and the same models in the same order.
    ///
    /// - Parameters:
    ///   - lhs: A section.
    ///   - rhs: Another section.
    /// - Returns: `true` if the titles and the models are the same.
    /// - Complexity: O(*n*), where *n* is the number of models.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.title == rhs.title && lhs.models.elementsEqual(rhs.models) { $0 === $1 }
    }
}
