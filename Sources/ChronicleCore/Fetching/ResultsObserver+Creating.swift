public import Foundation

extension ResultsObserver where SectionTitle == Never {
    /// Creates an observer of the models that match a descriptor.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order. By default, all models of the class.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    /// - Complexity: That of the fetch, like all initializers.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, nil, modelContext, isolation)
    }

    /// Creates an observer of the models that match a descriptor, with a new context.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order. By default, all models of the class.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, nil, ModelContext(modelContainer), isolation)
    }

    /// Creates an observer of the models that match a predicate.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models, or `nil` for that of their primary keys.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext, isolation)
    }

    /// Creates an observer of the models that match a predicate, with a new context.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models, or `nil` for that of their primary keys.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, nil, ModelContext(modelContainer), isolation)
    }
}

extension ResultsObserver where SectionTitle == String {
    /// Creates an observer of the models that match a descriptor, grouped by a string.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order within a section. By default, all models of the class.
    ///   - sectionBy: The key path to the title of a model's section.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, .init(sectionBy), modelContext, isolation)
    }

    /// Creates an observer of the models that match a descriptor, grouped by a string that may be missing.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order within a section. By default, all models of the class.
    ///   - sectionBy: The key path to the title of a model's section; `nil` is in the section with an empty title.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, .init(sectionBy), modelContext, isolation)
    }

    /// Creates an observer of the models that match a descriptor, grouped by a string, with a new context.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order within a section. By default, all models of the class.
    ///   - sectionBy: The key path to the title of a model's section.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, .init(sectionBy), ModelContext(modelContainer), isolation)
    }

    /// Creates an observer of the models that match a descriptor, grouped by a string that may be missing, with a new context.
    ///
    /// - Parameters:
    ///   - fetchDescriptor: The models to fetch, and their order within a section. By default, all models of the class.
    ///   - sectionBy: The key path to the title of a model's section; `nil` is in the section with an empty title.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, .init(sectionBy), ModelContext(modelContainer), isolation)
    }

    /// Creates an observer of the models that match a predicate, grouped by a string.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models of a section, or `nil` for that of their primary keys.
    ///   - sectionBy: The key path to the title of a model's section.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, .init(sectionBy), modelContext, isolation)
    }

    /// Creates an observer of the models that match a predicate, grouped by a string that may be missing.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models of a section, or `nil` for that of their primary keys.
    ///   - sectionBy: The key path to the title of a model's section; `nil` is in the section with an empty title.
    ///   - modelContext: The context that fetches the models.
    ///   - isolation: The actor that uses the context; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, .init(sectionBy), modelContext, isolation)
    }

    /// Creates an observer of the models that match a predicate, grouped by a string, with a new context.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models of a section, or `nil` for that of their primary keys.
    ///   - sectionBy: The key path to the title of a model's section.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, .init(sectionBy), ModelContext(modelContainer), isolation)
    }

    /// Creates an observer of the models that match a predicate, grouped by a string that may be missing, with a new context.
    ///
    /// - Parameters:
    ///   - filterBy: The models to fetch, or `nil` for all models of the class.
    ///   - sortBy: The order of the models of a section, or `nil` for that of their primary keys.
    ///   - sectionBy: The key path to the title of a model's section; `nil` is in the section with an empty title.
    ///   - modelContainer: The container in which to create a context.
    ///   - isolation: The actor that uses the observer; by default, that of the caller.
    /// - Throws: The errors of ``ModelContext/fetch(_:)``, and the error of a store that cannot be observed.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
        sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(descriptor, .init(sectionBy), ModelContext(modelContainer), isolation)
    }
}

extension ResultsObserver.Grouping where SectionTitle == String {
    fileprivate init(_ keyPath: KeyPath<Element, String>) {
        // SwiftData's initializers accept any key path, but a sort descriptor requires a `Sendable` one. A key path to a
        // property is, and a fetch rejects others. `Sendable` has no representation, so the cast changes the type only.
        let sendable = unsafeBitCast(keyPath, to: (any KeyPath<Element, String> & Sendable).self)
        self.init(keyPath: keyPath, order: [SortDescriptor(sendable)]) { $0[keyPath: keyPath] }
    }

    fileprivate init(_ keyPath: KeyPath<Element, String?>) {
        let sendable = unsafeBitCast(keyPath, to: (any KeyPath<Element, String?> & Sendable).self)
        self.init(keyPath: keyPath, order: [SortDescriptor(sendable)]) { $0[keyPath: keyPath] ?? "" }
    }
}
