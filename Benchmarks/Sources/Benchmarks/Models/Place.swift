import Chronicle

/// Found by its code, as in an import that updates existing models and inserts the others.
@Model
final class Place {
    #Index<Place>([\.code])

    var code: String
    var visits: Int

    init(_ index: Int) {
        code = Self.code(index)
        visits = index % 100
    }

    static func code(_ index: Int) -> String { "place number \(index)" }
}
