import Testing

/// The expansions of `@Model`.
@Suite struct ModelExpansionTests {
    @Test func expansionMatchesHandwrittenCode() {
        let expansion = Expansion(
            """
            @Model
            final class Trip {
                @Attribute(.unique) var name: String
                var note: String?
                @Relationship(inverse: \\Item.trip) var items: [Item] = []
                var rating = 3 { didSet { print(oldValue) } }
                @Transient var isSelected = false
                var summary: String { name }
                static let all = 1
                init(name: String) { self.name = name }
            }
            """)
        #expect(expansion.reports.isEmpty)
        #expect(
            expansion.text == """
                final class Trip {
                    @Attribute(.unique) var name: String
                    @Chronicle::Attribute
                    var note: String?
                    @Relationship(inverse: \\Item.trip) var items: [Item] = []
                    @Chronicle::Attribute
                    var rating = 3 { didSet { print(oldValue) } }
                    var isSelected = false
                    var summary: String { name }
                    static let all = 1
                    init(name: String) { self.name = name }

                    static let properties: Chronicle::PropertyMap<Trip> = [
                        "name": \\.name,
                        "note": \\.note,
                        "items": \\.items,
                        "rating": \\.rating,
                    ]

                    let persistentBackingData: any Chronicle::BackingData<Trip> = Trip.createBackingData()

                    init(backingData: any Chronicle::BackingData<Trip>) {
                        persistentBackingData.adopt(backingData)
                    }
                }

                nonisolated extension Trip: Chronicle::PersistentModel {
                }
                """)
    }

    @Test func initializersSetPropertiesWithObserversDirectly() {
        let bodies: [(body: String, expanded: String)] = [
            ("self.a = 1", "self._a.initialValue = 1"),
            ("a = 1; b = 2; c = 3", "self._a.initialValue = 1; b = 2; self._c.initialValue = 3"),
            ("(self.a, self.b) = (1, 2)", "(self._a.initialValue, self.b) = (1, 2)"),
            ("self.a += c.a", "self._a.initialValue += self._c.initialValue.a"),
            ("self.x = self.c.count", "self.x = self._c.initialValue.count"),
            // Closures and local functions call observers.
            ("a = 1; run { a = 2 }", "self._a.initialValue = 1; run { a = 2 }"),
            (
                "defer { a = 2 }; a = 1", "defer { self._a.initialValue = 2 }; self._a.initialValue = 1"
            ),
            (
                "defer { a = 2 }; a = 1; insert(self)", "defer { a = 2 }; self._a.initialValue = 1; insert(self)"
            ),
            ("a = 1; func f() { self.a = 2 }", "self._a.initialValue = 1; func f() { self.a = 2 }"),
            // Other variables of that name.
            ("let a = 1; self.a = a", "let a = 1; self._a.initialValue = a"),
            ("if let c { self.c = c }", "if let c { self._c.initialValue = c }"),
            ("for a in [1] { self.a = a }", "for a in [1] { self._a.initialValue = a }"),
            (
                "a = 1; if a > 0 { let a = a; c = a }; a = 3",
                "self._a.initialValue = 1; if self._a.initialValue > 0 { let a = self._a.initialValue; "
                    + "self._c.initialValue = a }; self._a.initialValue = 3"
            ),
            ("if let a { f(a) } else { a = 1 }", "if let a { f(a) } else { self._a.initialValue = 1 }"),
            (
                "switch p { case let a: f(a) default: a = 1 }",
                "switch p { case let a: f(a) default: self._a.initialValue = 1 }"
            ),
            (
                "while let a = a { f(a) }; a = 1",
                "while let a = self._a.initialValue { f(a) }; self._a.initialValue = 1"
            ),
            (
                "guard case let a = a else { return }; f(a); self.a = a",
                "guard case let a = self._a.initialValue else { return }; f(a); self._a.initialValue = a"
            ),
            ("do { a = 1 } catch let a { f(a) }", "do { self._a.initialValue = 1 } catch let a { f(a) }"),
            ("c = p.a; p = 1", "self._c.initialValue = p.a; p = 1"),
            ("c = f(a: 1, .a, \\.a)", "self._c.initialValue = f(a: 1, .a, \\.a)"),
            // Other code may insert the model.
            ("a = 1; insert(self); a = 2", "self._a.initialValue = 1; insert(self); a = 2"),
            ("a = 1; self.insert(); a = 2", "self._a.initialValue = 1; self.insert(); a = 2"),
            ("a = 1; let me = self; a = 2", "self._a.initialValue = 1; let me = self; a = 2"),
            ("a = 1; add(); a = 2", "self._a.initialValue = 1; add(); a = 2"),
            ("a = 1; super.run(); a = 2", "self._a.initialValue = 1; super.run(); a = 2"),
            ("run(self.add); a = 2", "run(self.add); a = 2"),
            ("p.add(); f(add: 1); a = 2", "p.add(); f(add: 1); self._a.initialValue = 2"),
            (
                "if p > 0 { a = 1; add(); a = 2 } else { a = 3 }; c = 1",
                "if p > 0 { self._a.initialValue = 1; add(); a = 2 } else { self._a.initialValue = 3 }; c = 1"
            ),
            ("if p > 0 { a = 1 } else if add() { a = 2 }", "if p > 0 { a = 1 } else if add() { a = 2 }"),
            ("while a > 0 { a = 1; add() }", "while a > 0 { a = 1; add() }"),
            (
                "do { a = 1; add(); a = 2 } catch { a = 3 }; a = 4",
                "do { self._a.initialValue = 1; add(); a = 2 } catch { a = 3 }; a = 4"
            ),
            (
                "do { a = 1 } catch { a = 2; add(); a = 3 }; a = 4",
                "do { self._a.initialValue = 1 } catch { self._a.initialValue = 2; add(); a = 3 }; a = 4"
            ),
            // Other values of that name.
            ("let add = p; a = add", "let add = p; self._a.initialValue = add"),
            ("a = [1].map { add in add }", "self._a.initialValue = [1].map { add in add }"),
            ("if let add = p { a = add }", "if let add = p { self._a.initialValue = add }"),
            ("func f(add: Int) -> Int { add }; a = 1", "func f(add: Int) -> Int { add }; self._a.initialValue = 1"),
            // The method is visible in the value of a variable, and outside of its scope.
            ("guard let add = add() else { return }; a = add", "guard let add = add() else { return }; a = add"),
            ("if let add = add() { b = add }; a = 1", "if let add = add() { b = add }; a = 1"),
            ("let add = add(); a = add", "let add = add(); a = add"),
            ("if let add = p { b = add } else { add() }; a = 1", "if let add = p { b = add } else { add() }; a = 1"),
            ("b = [1].map { add in add }.count + add(); a = 1", "b = [1].map { add in add }.count + add(); a = 1"),
            ("let add = p; f(self.add); a = add", "let add = p; f(self.add); a = add"),
            ("a = p[keyPath: \\.add]; c = 1", "self._a.initialValue = p[keyPath: \\.add]; self._c.initialValue = 1"),
            ("conditional(); a = 1", "conditional(); a = 1"),
            ("shared(); a = 1", "shared(); self._a.initialValue = 1"),
            ("b = 2", "b = 2"), ("p = 1", "p = 1"),
        ]
        for (body, expanded) in bodies {
            let expansion = Expansion(
                """
                @Model final class Trip {
                    var a = 0 { didSet {} }
                    var b = 0
                    @Attribute var c = 0 { willSet {} }
                    @Transient var x = 0 { didSet {} }
                    init(p: Int) {\(body)}
                    convenience init() { self.init(p: 1); a = 1 }
                    func add() {}
                    static func shared() {}
                    #if DEBUG
                    func conditional() {}
                    #endif
                }
                """)
            #expect(expansion.reports.isEmpty)
            let text = expansion.text.filter { !$0.isWhitespace }
            #expect(text.contains("init(p:Int){\(expanded.filter { !$0.isWhitespace })}"), "\(expansion.text)")
            #expect(text.contains("self.init(p:1);a=1}"))
        }
    }

    @Test func overridesAreNotStored() {
        let expansion = Expansion(
            """
            @Model final class Flight: Trip {
                var number = 0
                override var name: String { didSet {} }
                override var note: String { get { super.note } set { super.note = newValue } }
            }
            """, inherits: true)
        #expect(expansion.reports.isEmpty)
        #expect(expansion.text.ranges(of: "@Chronicle::Attribute").count == 1)
        #expect(expansion.text.ranges(of: "]).overriding([\"name\": \\.name, \"note\": \\.note])").count == 2)
    }

    @Test(arguments: [
        ("Model", "Base", "Class"), ("Trip", "Model", "Class"), ("Trip", "Base.Model", "Class"),
        ("Trip", "Base", "Model"),
        ("Model", "Class", "Subclass"), ("Models", "Base", "Model"),
    ])
    func parameterDiffersFromTheClasses(_ name: String, _ superclass: String, _ parameter: String) {
        let text = Expansion("@Model class \(name): \(superclass) { var name = \"\" }", inherits: true).text
        #expect(text.contains("properties<\(parameter): \(name)>(of model: \(parameter).Type)"))
    }

    @Test func originalNameIsAMember() {
        let expansion = Expansion("@Model(originalName: \"Journey\") public final class Trip { var name = \"\" }")
        #expect(expansion.reports.isEmpty)
        #expect(expansion.text.contains("public static let originalEntityName: String? = \"Journey\""))
    }

    @Test(arguments: [
        ("public final class", "public ", ""), ("open class", "public ", "required "), ("class", "", "required "),
        ("package class", "package ", "required "), ("fileprivate final class", "fileprivate ", ""),
        ("private final class", "", ""),
    ])
    func membersHaveTheAccessLevelOfTheClass(_ declaration: String, _ access: String, _ required: String) {
        let text = Expansion("@Model \(declaration) Trip { var name = \"\" }").text
        #expect(text.contains(" \(access)static let properties: Chronicle::PropertyMap<Trip>"))
        #expect(text.contains(" \(access)let persistentBackingData"))
        #expect(text.contains(" \(access)\(required)init(backingData: any Chronicle::BackingData<Trip>)"))
    }

    @Test func existingDeclarationsAreKept() {
        let expansion = Expansion(
            """
            @Model
            final class Trip: PersistentModel {
                @Attribute var name = ""
                static let properties: PropertyMap<Trip> = ["name": \\.name]
                let persistentBackingData: any BackingData<Trip>
                init(backingData: any BackingData<Trip>) { persistentBackingData = backingData }
            }
            """, inherits: true)
        #expect(expansion.reports.isEmpty)
        #expect(!expansion.text.contains("Chronicle::"))
    }

    @Test func classWithDefaultValuesGetsAnInitializer() {
        #expect(Expansion("@Model final class Trip { var note: String?; var count = 0 }").text.contains("init() {"))
        #expect(!Expansion("@Model final class Trip { var count = 0; init(_: Int) {} }").text.contains("init() {"))
    }

    @Test func convenienceInitializersDoNotCount() {
        let text = Expansion("@Model final class Trip { var a = 1; convenience init(_ a: Int) { self.init() } }").text
        #expect(text.contains("init() {"))
    }

    @Test func subclassOfNSObjectOverridesItsInitializer() {
        for name in ["NSObject", "Foundation.NSObject"] {
            let text = Expansion("@Model final class Trip: \(name), Comparable { var count = 0 }").text
            #expect(text.contains("override init() {}") || text.contains("override init() {\n"))
        }
    }

    @Test func initializersMayBeConditional() {
        let expansion = Expansion(
            """
            @Model final class Trip {
                var name: String
                #if DEBUG
                init(name: String) { self.name = name }
                #else
                init(backingData: any BackingData<Trip>) { persistentBackingData.adopt(backingData) }
                #endif
            }
            """)
        #expect(expansion.reports.isEmpty)
        #expect(!expansion.text.contains("init() {") && !expansion.text.contains("Chronicle::BackingData<Trip>)"))
    }

    @Test func wrappersMayDependOnTheImportedModule() {
        let expansion = Expansion(
            """
            @Model final class Trip {
                #if canImport(SwiftData)
                @Attribute(.unique)
                #endif
                var code = 1
                #if canImport(SwiftData)
                @Transient
                #endif
                var isSelected = false
                #if DEBUG
                @available(*, deprecated)
                #endif
                var note = ""
            }
            """)
        #expect(expansion.reports.isEmpty)
        #expect(expansion.text.contains("[\n        \"code\": \\.code,\n        \"note\": \\.note,\n    ]"))
        #expect(expansion.text.ranges(of: "@Chronicle::Attribute").count == 1)
    }

    @Test func propertyMapMayContainDeprecatedProperties() {
        let source = "@available(*, deprecated) var a: Int?\n@available(macOS 15, *) var b: Int?"
        #expect(
            Expansion("@Model class Trip {\n\(source)\n}").text.contains("@available(*, deprecated) static let pro"))
        let other = source.replacing("deprecated", with: "noasync")
        #expect(!Expansion("@Model class Trip {\n\(other)\n}").text.contains(") static let pro"))
    }

    /// At file scope and in an extension, private declarations are visible to the macro's extension.
    @Test(arguments: [
        "@Model private final class Trip { var name = \"\" }",
        "private enum Trips { @Model final class Trip { var name = \"\" } }",
        "enum Trips { @Model fileprivate final class Trip { var name = \"\" } }",
    ])
    func classMayBeFileprivate(_ source: String) {
        let expansion = Expansion(source)
        #expect(expansion.reports.isEmpty)
        #expect(expansion.text.contains("@Chronicle::Attribute") && expansion.text.contains("nonisolated extension"))
    }

    @Test func unreachableClassMayDeclareTheConformance() {
        let source = "enum Trips { @Model private final class Trip: PersistentModel { var name = \"\" } }"
        let expansion = Expansion(source, inherits: true)
        #expect(expansion.reports.isEmpty && expansion.text.contains("@Chronicle::Attribute"))
    }

    @Test func classInAFunctionIsDiagnosedByTheCompiler() {
        let expansion = Expansion("func trips() { @Model final class Trip { var name = \"\" } }")
        #expect(expansion.reports.isEmpty && !expansion.text.contains("Chronicle"))
    }

    @Test func keywordNamesKeepTheirBackticks() {
        let text = Expansion("@Model final class Trip { var `default`: Int = 0 }").text
        #expect(text.contains("\"default\": \\.`default`,"))
    }

    @Test func propertyMayHaveTheNameOfTheMap() {
        let text = Expansion("@Model final class Trip { var properties: [String] = [] }").text
        #expect(text.contains("\"properties\": \\.properties,"))
    }

    @Test func classWithoutPropertiesHasAnEmptyMap() {
        #expect(Expansion("@Model final class Trip {}").text.contains("PropertyMap<Trip> = [:]"))
    }

    @Test func wrappersMayBeQualified() {
        let text = Expansion("@Model final class Trip { @SwiftData.Attribute(.unique) var code = 0 }").text
        #expect(!text.contains("@Chronicle::Attribute"))
    }
}

/// The expansions of `#Unique`, `#Index`, and `@ModelActor`.
@Suite struct OtherExpansionTests {
    @Test func constraintsExpandToStaticProperties() {
        let expansion = Expansion(
            """
            @Model
            public final class Trip {
                #Unique<Trip>([\\.name], [\\.code, \\.year])
                #Index<Trip>([\\.year], [\\.year, \\.code])
                var name = "", code = 0
            }
            """)
        #expect(
            expansion.text.contains(
                "public static let uniqueness: Chronicle::Uniqueness<Trip> = [[\\.name], [\\.code, \\.year]]"))
        #expect(
            expansion.text.contains(
                "public static let indices: Chronicle::Indices<Trip> = [[\\.year], [\\.year, \\.code]]"))
    }

    @Test func kindsOfIndicesAreIgnored() {
        let text = Expansion("class Trip { #Index<Trip>(.binary([\\.year]), .rtree([\\.x, \\.y])) }").text
        #expect(text.contains("= [[\\.year], [\\.x, \\.y]]"))
    }

    @Test func actorGetsAContext() {
        let expansion = Expansion("@ModelActor\npublic actor Importer {\n}")
        #expect(expansion.reports.isEmpty)
        #expect(
            expansion.text == """
                public actor Importer {

                    public nonisolated let modelExecutor: any Chronicle::ModelExecutor

                    public nonisolated let modelContainer: Chronicle::ModelContainer

                    public init(modelContainer: Chronicle::ModelContainer) {
                        self.modelContainer = modelContainer
                        modelExecutor = Chronicle::DefaultSerialModelExecutor(modelContext: Chronicle::ModelContext(modelContainer))
                    }
                }

                extension Importer: Chronicle::ModelActor {
                }
                """)
    }

    @Test func actorMayHaveProperties() {
        let source =
            "@ModelActor actor Importer { let a = 1; var b: Int?; @Other var c: Int; lazy var d = 2; var e: Int { 1 } }"
        let expansion = Expansion(source)
        #expect(expansion.reports.isEmpty && expansion.text.contains("init(modelContainer"))
    }

    @Test func initializerOfAnActorMayDelegate() {
        let initializer = "init(_ url: URL) { self.init(modelContainer: open(url)) }"
        let text = Expansion("@ModelActor actor Importer { \(initializer) }").text
        #expect(text.contains("init(modelContainer: Chronicle::ModelContainer)"))
    }

    @Test(arguments: [
        "init(modelContainer: ModelContainer) { fatalError() }",
        "init(modelContainer: ModelContainer, a: Int = 1) { fatalError() }",
        "let a: Int; init(_ a: Int) { fatalError() }",
    ])
    func actorKeepsItsInitializer(_ source: String) {
        let expansion = Expansion("@ModelActor actor Importer { \(source) }")
        #expect(expansion.reports.isEmpty && !expansion.text.contains("init(modelContainer: Chronicle"))
    }
}
