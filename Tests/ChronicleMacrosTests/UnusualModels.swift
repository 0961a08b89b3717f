import Chronicle
import Foundation

// Classes with `@Model` in unusual places, or with unusual superclasses or members. Each has a `name`.

protocol Labelled: PersistentModel {
    var name: String { get set }
}

@Model private final class PrivateModel: Labelled { var name = "" }

@Model private class PrivateOpenModel: Labelled { var name = "" }

/// Provides other files with access to private classes.
enum UnusualModels {
    @Model fileprivate final class Nested: Labelled { var name = "" }

    // The macro creates no extension, which could not name the class.
    @Model private final class Hidden: Labelled, PersistentModel { var name = "" }

    static let all: [any Labelled.Type] = [
        PrivateModel.self, PrivateOpenModel.self, Nested.self, Hidden.self, FoundationObject.self,
        FoundationObjectWithInitializer.self, WithSuperclass.self, WithConditions.self, WithConvenience.self,
        WithDeprecation.self, WithNamesOfMembers.self, OneOfSome.Class.self,
    ]
}

@Model final class FoundationObject: NSObject, Labelled {
    var name = ""
    override var description: String { "object \(name)" }
}

@Model final class FoundationObjectWithInitializer: NSObject, Labelled {
    var name: String

    init(_ name: String = "") {
        self.name = name
        super.init()
    }
}

class Superclass {
    var isReady: Bool
    init() { isReady = true }
}

@Model final class WithSuperclass: Superclass, Labelled {
    var name: String

    override init() { name = "" }
}

@Model final class WithConditions: Labelled {
    var name = ""

    #if DEBUG
        init() { name = "debug" }
        static let flag = true
    #else
        init() { name = "release" }
        static let flag = false
    #endif
}

@Model final class WithConvenience: Labelled {
    var name = ""

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// The property map contains deprecated properties without a warning.
@Model final class WithDeprecation: Labelled {
    var name = ""
    @available(*, deprecated, renamed: "name") var title: String?
}

@Model final class WithNamesOfMembers: Labelled {
    var name = ""
    var isDeleted = true
    var hasChanges = true
    var modelContext = "a"
    var schema: [String] = ["b"]
    var hash = 1
    var properties: [String] = ["c"]
}

/// Types with the names of those that the macros use.
enum OneOfSome {
    struct Attribute {}
    struct BackingData {}
    enum Chronicle { case some }

    @Model final class Class: Labelled {
        #Unique<Class>([\.name])
        var name = ""
        var `default`: Int? = 1
    }
}
