import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Observers of properties are called as those of a class that is not a model.
@Suite struct ObserverTests {
    /// What the observers of the two classes reported.
    private func calls(_ body: () throws -> Void) rethrows -> [String] {
        let log = ObserverLog()
        try ObserverLog.$current.withValue(log, operation: body)
        return log.calls.withLock { $0 }
    }

    @Test(arguments: ObservedForm.allCases) func initializersCallObserversAsInOtherClasses(_ form: ObservedForm) {
        let expected = calls { _ = PlainObserved(form) }
        #expect(calls { _ = ModelObserved(form) } == expected)
        let model = ModelObserved(form)
        let plain = PlainObserved(form)
        #expect(model.values == plain.values)
    }

    @Test(arguments: StoreKind.allCases) func valuesOfInitializersAreSaved(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [ModelObserved.self, ObservedPart.self])
        let context = store.context()
        for form in ObservedForm.allCases {
            let model = ModelObserved(form)
            let expected = PlainObserved(form).values
            context.insert(model)
            #expect(model.values == expected)
            try context.save()
            #expect(model.values == expected)
            let identifier = model.persistentModelID
            let fetched = try #require(
                store.context().fetch(
                    FetchDescriptor<ModelObserved>(predicate: #Predicate { $0.persistentModelID == identifier })
                ).first)
            #expect(fetched.values == expected, "\(form)")
            #expect(calls { model.name = "new" } == ["will name new", "did name \(expected[0])"])
            try context.save()
        }
    }

    @Test func initializerMayInsertTheModel() throws {
        let store = try TestStore(.inMemory, [ModelObserved.self, ObservedPart.self])
        let context = store.context()
        _ = ModelObserved(insertedInto: context)
        try context.save()
        _ = ModelObserved(registeredIn: context, isLater: false)
        _ = ModelObserved(registeredIn: context, isLater: true)
        try context.save()
        let fetched = try store.context().fetch(FetchDescriptor<ModelObserved>())
        #expect(fetched.map(\.name) == ["second", "second", "second"] && fetched.allSatisfy { $0.parts.count == 1 })
    }

    @Test(arguments: StoreKind.allCases) func subclassMayOverrideProperties(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [OverridingModel.self])
        let context = store.context()
        let model = OverridingModel()
        context.insert(model)
        #expect(calls { model.name = "a" } == ["did override a"])
        model.title = "t"
        model.code = "c"
        try context.save()
        let other = store.context()
        let predicate = #Predicate<OverridingModel> { $0.name == "a" && $0.title == "t" && $0.code == "c" }
        let found = try other.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.name) == ["a"] && found.map(\.title) == ["t"] && found.map(\.code) == ["c"])
        #expect(try other.fetch(FetchDescriptor<OverriddenModel>(predicate: #Predicate { $0.name == "a" })).count == 1)
        // An update of an observed property by its own key path.
        try other.update(model: OverridingModel.self, where: predicate, set: \.name, to: "b")
        #expect(try store.context().fetch(FetchDescriptor<OverridingModel>()).map(\.name) == ["b"])
    }

    @Test func classMayHaveTheNameOfAParameter() throws {
        let store = try TestStore(.inMemory, [NamesOfParameters.Model.self, NamesOfParameters.Class.self])
        let context = store.context()
        context.insert(NamesOfParameters.Model())
        context.insert(NamesOfParameters.Class())
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<NamesOfParameters.Model>()).count == 2)
        let predicate = #Predicate<NamesOfParameters.Class> { $0.name == "" && $0.count == 1 }
        #expect(try store.context().fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    }
}

/// Collects the calls of observers.
final class ObserverLog: Sendable {
    @TaskLocal static var current: ObserverLog?
    let calls = Mutex<[String]>([])
    static func add(_ call: String) { current?.calls.withLock { $0.append(call) } }
}

/// The forms of the initializers that are compared.
enum ObservedForm: Int, CaseIterable {
    case once, twice, unqualified, tuple, compound, closure, function, nested, method
}

@Model final class ObservedPart {
    init() {}
}

private func log(_ call: String) { ObserverLog.add(call) }

// The same class twice.
@Model final class ModelObserved {
    var name: String {
        willSet { log("will \(#function) \(newValue)") }
        didSet { log("did \(#function) \(oldValue)") }
    }
    @Attribute(originalName: "c") var count: Int = 3 { didSet { log("did count \(oldValue) \(count)") } }
    var note: String? { didSet { log("did note \(oldValue ?? "nil")") } }
    var tags: [String] = [] { didSet { log("did tags \(oldValue)") } }
    @Attribute var `default`: Double = 1 { willSet { log("will default \(`default`)") } }
    @Relationship var parts: [ObservedPart] = [] { didSet { log("did parts \(oldValue.count)") } }

    init(_ form: ObservedForm) {
        self.name = "first"
        switch form {
        case .once: break
        case .twice:
            self.name = "second"
            self.count = 4
            self.note = name
            self.default = 2
        case .unqualified:
            name = "second"
            count = 4
            tags = [name]
            `default` = 2
        case .tuple: (self.name, self.count, note) = ("second", 4, "n")
        case .compound:
            count += 1
            self.count -= 3
            self.name.append("!")
            tags.append("t")
            self.tags[0] += self.name
            swap(&name, &tags[0])
        case .closure: [1].forEach { _ in self.count = 7 }
        case .function:
            func assign() { count = 7 }
            assign()
        case .nested:
            if self.count == 3 { for name in ["x"] { self.name = name } }
            defer { self.count = 8 }
            do { let note = "local"; self.note = note }
        case .method: change()
        }
    }

    init(insertedInto context: ModelContext) {
        name = "first"
        context.insert(self)
        name = "second"
        parts = [ObservedPart()]
    }

    init(registeredIn context: ModelContext, isLater: Bool) {
        name = "first"
        if !isLater { register(in: context) }
        name = "second"
        if isLater { register(in: context) }
        parts = [ObservedPart()]
    }

    func register(in context: ModelContext) { context.insert(self) }

    func change() { count = 9 }

    var values: [String] { [name, "\(count)", note ?? "nil", "\(tags)", "\(self.default)"] }
}

final class PlainObserved {
    var name: String {
        willSet { log("will \(#function) \(newValue)") }
        didSet { log("did \(#function) \(oldValue)") }
    }
    var count: Int = 3 { didSet { log("did count \(oldValue) \(count)") } }
    var note: String? { didSet { log("did note \(oldValue ?? "nil")") } }
    var tags: [String] = [] { didSet { log("did tags \(oldValue)") } }
    var `default`: Double = 1 { willSet { log("will default \(`default`)") } }

    init(_ form: ObservedForm) {
        self.name = "first"
        switch form {
        case .once: break
        case .twice:
            self.name = "second"
            self.count = 4
            self.note = name
            self.default = 2
        case .unqualified:
            name = "second"
            count = 4
            tags = [name]
            `default` = 2
        case .tuple: (self.name, self.count, note) = ("second", 4, "n")
        case .compound:
            count += 1
            self.count -= 3
            self.name.append("!")
            tags.append("t")
            self.tags[0] += self.name
            swap(&name, &tags[0])
        case .closure: [1].forEach { _ in self.count = 7 }
        case .function:
            func assign() { count = 7 }
            assign()
        case .nested:
            if self.count == 3 { for name in ["x"] { self.name = name } }
            defer { self.count = 8 }
            do { let note = "local"; self.note = note }
        case .method: change()
        }
    }

    func change() { count = 9 }

    var values: [String] { [name, "\(count)", note ?? "nil", "\(tags)", "\(self.default)"] }
}

@Model class OverriddenModel {
    var name: String = ""
    var title: String = ""
    var code: String = ""
    init() {}
}

@Model final class OverridingModel: OverriddenModel {
    #Index<OverridingModel>([\.extra, \.name])
    var extra: Int { didSet { log("did extra") } }
    override var name: String { didSet { log("did override \(name)") } }
    override var title: String {
        get { super.title }
        set { super.title = newValue }
    }
    override var code: String { willSet { log("will override") } }

    override init() {
        extra = 1
        super.init()
        extra = 2
    }
}

enum NamesOfParameters {
    @Model class Model {
        var name = ""
        init() {}
    }

    @Model class Class: Model {
        var count = 1
        override init() { super.init() }
    }
}
