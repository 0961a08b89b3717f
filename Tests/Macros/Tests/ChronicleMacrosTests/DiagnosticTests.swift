import SwiftDiagnostics
import Testing

/// The diagnostics of the macros, their locations, and the source after their fix-its.
@Suite struct DiagnosticTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: String
        var line = 1
        let message: String
        var fixed: [String] = []
        var severity = DiagnosticSeverity.error
    }

    private static let cases: [Case] = [
        Case(
            testDescription: "a structure", source: "@Model struct Trip { var name: String }",
            message: "@Model can only be attached to a class",
            fixed: ["@Model final class Trip { var name: String }"]),
        Case(
            testDescription: "an enumeration", source: "@Model enum Trip {}",
            message: "@Model can only be attached to a class"),
        Case(
            testDescription: "a generic class", source: "@Model class Trip<Place> {}",
            message: "a model class cannot be generic, because its entity has a single name"),
        Case(
            testDescription: "a constant", source: "@Model class Trip { let code: Int; init() {} }",
            message: "'code' is a constant, which a fetch cannot set; make it a `var`",
            fixed: ["@Model class Trip { var code: Int; init() {} }"]),
        Case(
            testDescription: "a constant with a value", source: "@Model class Trip { let code = 1 }",
            message: "'code' is a constant, which is not stored; make it a `var`, or mark it @Transient",
            fixed: ["@Model class Trip { var code = 1 }", "@Model class Trip { @Transient let code = 1 }"],
            severity: .warning),
        Case(
            testDescription: "a constant attribute", source: "@Model class Trip { @Attribute(.unique) let code = 1 }",
            message: "'code' is a constant, which a fetch cannot set; make it a `var`",
            fixed: ["@Model class Trip { @Attribute(.unique) var code = 1 }"]),
        Case(
            testDescription: "a property without a type", source: "@Model class Trip {\n    var code\n    init() {}\n}",
            line: 2, message: "'code' needs a type annotation",
            fixed: ["@Model class Trip {\n    var code: <#Type#>\n    init() {}\n}"]),
        Case(
            testDescription: "a lazy property", source: "@Model class Trip { lazy var code = 1 }",
            message: "a lazy property cannot be stored; mark it @Transient",
            fixed: ["@Model class Trip { @Transient lazy var code = 1 }"]),
        Case(
            testDescription: "a weak property", source: "@Model class Trip {\n    weak var other: Trip?\n}", line: 2,
            message: "a weak property cannot be stored; mark it @Transient",
            fixed: ["@Model class Trip {\n    @Transient weak var other: Trip?\n}"]),
        Case(
            testDescription: "an unowned property", source: "@Model class Trip { unowned var other: Trip? }",
            message: "an unowned property cannot be stored; mark it @Transient",
            fixed: ["@Model class Trip { @Transient unowned var other: Trip? }"]),
        Case(
            testDescription: "a property with another wrapper",
            source: "@Model class Trip {\n    @available(*, deprecated) @Trimmed var name = \"\"\n}", line: 2,
            message:
                "a stored property of a model cannot have another property wrapper; if @Trimmed is one, mark 'name' @Transient",
            severity: .note),
        Case(
            testDescription: "a property with two wrappers",
            source: "@Model class Trip {\n    @Attribute(.unique) @Attribute var name = \"\"\n}", line: 2,
            message: "'name' can have only one @Attribute or @Relationship; list all options in the first one",
            fixed: ["@Model class Trip {\n    @Attribute(.unique) var name = \"\"\n}"]),
        Case(
            testDescription: "a property with two attributes with options",
            source: """
                @Model class Trip {
                    @Attribute(.unique) @Attribute(.spotlight, originalName: "title") public var name = ""
                }
                """, line: 2,
            message: "'name' can have only one @Attribute or @Relationship; list all options in the first one",
            fixed: [
                """
                @Model class Trip {
                    @Attribute(.unique, .spotlight, originalName: "title") public var name = ""
                }
                """
            ]),
        Case(
            testDescription: "a class of an actor", source: "@MainActor @Model class Trip { var name = \"\" }",
            message: "a model is confined to its context, not to an actor; remove @MainActor",
            fixed: ["@Model class Trip { var name = \"\" }"], severity: .warning),
        Case(
            testDescription: "a class that is private in another",
            source: "enum Trips {\n    @Model private class Trip { var name = \"\" }\n}", line: 2,
            message: "a nested model and its enclosing types cannot be private; make them fileprivate",
            fixed: ["enum Trips {\n    @Model fileprivate class Trip { var name = \"\" }\n}"]),
        Case(
            testDescription: "a class in one that is private in another",
            source: "enum A { private enum B {\n    @Model class Trip { var name = \"\" }\n} }", line: 2,
            message: "a nested model and its enclosing types cannot be private; make them fileprivate"),
        Case(
            testDescription: "two sides that name each other",
            source: """
                @Model class Trip {
                    @Relationship(inverse: \\Trip.children) var parent: Trip?
                    @Relationship(inverse: \\Trip.parent) var children: [Trip] = []
                    @Relationship(inverse: \\Item.trip) var trip: Item?
                }
                """, line: 3, message: "only one of 'parent' and 'children' can specify the other as its inverse"),
        Case(
            testDescription: "two properties in one declaration", source: "@Model class Trip { var a = 1, b = 2 }",
            message: "declare each property of a model separately, with one `var` for each",
            fixed: ["@Model class Trip { var a = 1; var b = 2 }"]),
        Case(
            testDescription: "two properties of one type",
            source: "@Model class Trip { var a, b: Int\n init() { (a, b) = (1, 2) } }",
            message: "declare each property of a model separately, with one `var` for each",
            fixed: ["@Model class Trip { var a: Int; var b: Int\n init() { (a, b) = (1, 2) } }"]),
        Case(
            testDescription: "a tuple", source: "@Model class Trip { var (a, b) = (1, 2) }",
            message: "declare each property of a model separately instead of in a tuple"),
        Case(
            testDescription: "a conditional property",
            source: "@Model class Trip {\n    #if DEBUG\n    var a = 1\n    #endif\n}", line: 3,
            message: "a stored property of a model cannot be conditional (#if); mark it @Transient",
            fixed: ["@Model class Trip {\n    #if DEBUG\n    @Transient var a = 1\n    #endif\n}"]),
        Case(
            testDescription: "a conditional wrapper",
            source: "@Model class Trip {\n    #if DEBUG\n    @Attribute(.unique)\n    #endif\n    var a = 1\n}",
            line: 3,
            message: "@Attribute of 'a' cannot be conditional (#if); apply it unconditionally"),
        Case(
            testDescription: "a wrapper without the module of the macros",
            source:
                "@Model class Trip {\n #if canImport(SwiftData)\n #else\n @Transient\n #endif\n var a = 1\n}", line: 4,
            message: "@Transient of 'a' cannot be conditional (#if); apply it unconditionally"),
        Case(
            testDescription: "a wrapper on a computed property",
            source: "@Model class Trip { @Attribute(.unique) var a: Int { 1 } }",
            message: "a computed property is not stored; remove @Attribute",
            fixed: ["@Model class Trip { var a: Int { 1 } }"]),
        Case(
            testDescription: "a wrapper on a static property",
            source: "@Model class Trip { @Attribute static var a = 1 }",
            message: "a static property is not stored; remove @Attribute",
            fixed: ["@Model class Trip { static var a = 1 }"]),
        Case(
            testDescription: "a wrapper on an override",
            source: "@Model class Flight: Trip { @Attribute(.unique) override var a: Int { didSet {} } }",
            message: "the superclass stores the value of a property that is overridden; remove @Attribute",
            fixed: ["@Model class Flight: Trip { override var a: Int { didSet {} } }"]),
        Case(
            testDescription: "a transient attribute", source: "@Model class Trip { @Transient @Attribute var a = 1 }",
            message: "'a' cannot be both stored and @Transient"),
        Case(
            testDescription: "a transient property without a value",
            source: "@Model class Trip { @Transient var a: Int; init() { a = 1 } }",
            message: "'a' needs a default value, which fetched models receive"),
        Case(
            testDescription: "no initializer for a required property",
            source: "@Model public class Trip {\n    var name: String\n    var note: String?\n}",
            message: "Trip needs an initializer that assigns 'name'",
            fixed: [
                """
                @Model public class Trip {
                    var name: String
                    var note: String?

                    public init(name: String) {
                        self.name = name
                    }
                }
                """
            ]),
        Case(
            testDescription: "an initializer that forgets a property",
            source: "@Model class Trip {\n    var a: Int\n    var b: Int\n    init(a: Int) { self.a = a }\n}", line: 4,
            message: "this initializer does not assign 'b', which needs a value before the model is saved",
            severity: .warning),
        Case(
            testDescription: "an unknown key path",
            source: "@Model class Trip {\n    #Unique<Trip>([\\.nane])\n    var name = \"\"\n}", line: 2,
            message: "Trip has no stored property 'nane'",
            fixed: ["@Model class Trip {\n    #Unique<Trip>([\\.name])\n    var name = \"\"\n}"]),
        Case(
            testDescription: "the key path of a computed property",
            source:
                "@Model class Trip {\n    #Index<Trip>([\\.length])\n    var days = 1\n    var length: Int { 1 }\n}",
            line: 2, message: "Trip has no stored property 'length'"),
        Case(
            testDescription: "the key path of a transient property",
            source: "@Model class Trip {\n    #Index<Trip>([\\.a])\n    var b = 1\n    @Transient var a = 1\n}",
            line: 2, message: "Trip has no stored property 'a'"),
        Case(
            testDescription: "the key path of another class",
            source: "@Model class Trip {\n    #Unique<Item>([\\.name])\n    var name = \"\"\n}", line: 2,
            message: "#Unique must refer to the enclosing model Trip",
            fixed: ["@Model class Trip {\n    #Unique<Trip>([\\.name])\n    var name = \"\"\n}"]),
        Case(
            testDescription: "the key path of a part",
            source: "@Model class Trip {\n    #Unique<Trip>([\\.place.city])\n    var place = Place()\n}", line: 2,
            message: "#Unique does not support nested key paths; use 'place'"),
        Case(
            testDescription: "a constraint beside another",
            source:
                "@Model class Trip {\n    #Unique<Trip>([\\.a])\n    #Unique<Trip>([\\.b])\n    var a = 1\n    var b = 2\n}",
            line: 3, message: "a model can have only one #Unique; pass all arrays of key paths to it"),
        Case(
            testDescription: "a unique collection",
            source: "@Model class Trip { @Attribute(.unique) var a: [Int] = [] }",
            message: "'a' cannot be .unique: values of collections cannot be unique",
            fixed: ["@Model class Trip { @Attribute() var a: [Int] = [] }"]),
        Case(
            testDescription: "a number outside of the row",
            source: "@Model class Trip { @Attribute(.unique, .externalStorage) var a: Int? }",
            message: "'a' cannot be .externalStorage: only Data can be stored externally",
            fixed: ["@Model class Trip { @Attribute(.unique) var a: Int? }"]),
        Case(
            testDescription: "a constraint outside of a class", source: "#Unique<Trip>([\\.name])",
            message: "#Unique must be declared in the model class"),
        Case(
            testDescription: "a constraint of nothing", source: "class Trip { #Index<Trip>() }",
            message: "#Index needs arrays of key paths that are not empty"),
        Case(
            testDescription: "a constraint of no key paths", source: "class Trip { #Unique<Trip>([]) }",
            message: "#Unique needs arrays of key paths that are not empty"),
        Case(
            testDescription: "a class that should be an actor", source: "@ModelActor class Importer {}",
            message: "@ModelActor can only be attached to an actor",
            fixed: ["@ModelActor actor Importer {}"]),
        Case(
            testDescription: "an actor with a property to set",
            source: "@ModelActor actor Importer { let name: String }",
            message: "Importer needs an initializer that assigns 'name', 'modelContainer', and 'modelExecutor'"
        ),
    ]

    @Test(arguments: cases) func errorIsReportedOnce(_ mistake: Case) {
        let reports = Expansion(mistake.source).reports
        #expect(
            reports == [
                Expansion.Report(
                    line: mistake.line, message: mistake.message, severity: mistake.severity, fixed: mistake.fixed)
            ])
    }

    @Test func subclassOfAModelDeclaresItsProperties() {
        let expansion = Expansion("@Model final class Flight: Trip { var number = 0 }", inherits: true)
        #expect(expansion.reports.isEmpty)
        #expect(expansion.text.contains("static func properties<Model: Flight>(of model: Model.Type)"))
        #expect(expansion.text.contains("Trip.properties(of: model).adding(["))
        #expect(expansion.text.contains("override class var modelSubclass: Chronicle::ModelSubclass? {"))
        // It inherits the initializers, including the one that a context needs.
        #expect(!expansion.text.contains("init"))
    }

    @Test func subclassWithInitializersRequiresTheOneOfTheContext() {
        let expansion = Expansion(
            """
            @Model public class Flight: Trip {
                #Unique<Flight>([\\.a])
                var a: Int
                init(a: Int) { self.a = a; super.init() }
            }
            """, inherits: true)
        #expect(expansion.reports.isEmpty)
        #expect(
            expansion.text.contains("public required init(backingData: any Chronicle::BackingData<Trip.ModelClass>) {"))
        #expect(expansion.text.contains("Trip.properties(of: Flight.self).adding(["))
        #expect(expansion.text.contains(", uniqueness: uniqueness(of: Flight.self))"))
    }

    @Test func genericClassGetsNoWrappers() {
        #expect(!Expansion("@Model class Trip<Place> { var name = \"\" }").text.contains("Attribute"))
    }

    @Test(
        arguments: ["Trip", "V1.Trip", "Self"], ["\\.name", "\\Trip.name", "\\V1.Trip.name"])
    func keyPathsMayIncludeTheClass(_ type: String, _ keyPath: String) {
        let source = "@Model class Trip {\n    #Unique<\(type)>([\(keyPath)])\n    var name = \"\"\n}"
        #expect(Expansion(source).reports.isEmpty)
    }

    @Test(arguments: [
        "init(a: Int) { self.a = a }", "init(a: Int) { (self.a) = a }", "init(x: Int, y: Int) { (a, _) = (x, y) }",
        "init(a: Int) { if a > 1 { self.a = 1 } else { self.a = 2 } }",
        "init(a: Int) { self.a = a }; convenience init() { self.init(a: 1) }",
    ])
    func assigningInitializersAreAccepted(_ initializer: String) {
        #expect(Expansion("@Model class Trip { var a: Int\n \(initializer) }").reports.isEmpty)
    }
}
