// Finds public declarations with incomplete documentation in symbol graphs. `.ci/undocumented` compiles and runs this.

import Foundation

// MARK: Symbol graphs

/// The parts of a symbol graph that are used: https://github.com/swiftlang/swift-docc-symbolkit
struct SymbolGraph: Decodable {
    struct Fragment: Decodable {
        let spelling: String
    }

    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Position: Decodable { let line: Int }
        struct Location: Decodable {
            let uri: String
            let position: Position
        }
        struct Documentation: Decodable {
            struct Range: Decodable { let start: Position }
            struct Line: Decodable {
                let text: String
                let range: Range?
            }
            let uri: String?
            let lines: [Line]
        }
        struct Parameter: Decodable {
            let name: String
            let internalName: String?
        }
        struct Signature: Decodable {
            let parameters: [Parameter]?
            let returns: [Fragment]?
        }

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let docComment: Documentation?
        let functionSignature: Signature?
        /// `nil` for declarations that the compiler derives.
        let location: Location?
    }

    struct Relationship: Decodable {
        struct Origin: Decodable { let identifier: String }
        let source: String
        let sourceOrigin: Origin?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]
}

// MARK: Documentation

/// The parts of a documentation comment.
struct Comment {
    private(set) var hasSummary = false
    private(set) var hasReturns = false
    private(set) var parameters: Set<String> = []
    private(set) var throwing: String?

    private enum Part { case text, parameters, returns, errors }

    init(_ lines: [String]) {
        var part = Part.text
        var isCode = false
        let first = lines.first { !$0.allSatisfy(\.isWhitespace) }
        hasSummary = first.map { !$0.contains(/^ *(?:[-*#|>]|```)/) } ?? false
        for line in lines {
            if line.contains(/^ *```/) { isCode.toggle() }
            guard !isCode, !line.allSatisfy(\.isWhitespace) else { continue }
            if part == .parameters, let item = line.firstMatch(of: /^ +- +([^: ]+) *:(.*)$/) {
                document(String(item.output.1), String(item.output.2))
            } else if let item = line.firstMatch(of: /^ {0,1}- +(\w+)(?: +([^: ]+))? *:(.*)$/) {
                let (_, section, name, text) = item.output
                part = begin(section.lowercased(), name.map { String($0) }, String(text))
            } else if !line.hasPrefix(" ") {
                part = .text
            } else if part == .errors {
                throwing? += line
            } else if part == .returns {
                hasReturns = true
            }
        }
    }

    /// `- Parameter NAME: TEXT`, and the like.
    private mutating func begin(_ section: String, _ name: String?, _ text: String) -> Part {
        switch (section, name) {
        case ("parameters", nil): return .parameters
        case ("parameter", let name?): document(name, text)
        case ("returns", nil):
            hasReturns = hasReturns || !text.allSatisfy(\.isWhitespace)
            return .returns
        case ("throws", nil):
            throwing = (throwing ?? "") + text
            return .errors
        default: break
        }
        return .text
    }

    private mutating func document(_ parameter: String, _ text: String) {
        if !text.allSatisfy(\.isWhitespace) { parameters.insert(parameter.trimmingCharacters(in: ["`"])) }
    }

    /// Whether the section names errors: with a link, a type, or words.
    var namesErrors: Bool {
        guard let throwing else { return false }
        return throwing.contains(/``[^`]+``|`[A-Z][^`]*`|[Tt]he errors? that/)
    }
}

// MARK: Gaps

struct Gap: Comparable {
    let file: String
    let line: Int
    let symbol: String
    let text: String

    static func < (one: Gap, other: Gap) -> Bool {
        (one.file, one.line, one.symbol, one.text) < (other.file, other.line, other.symbol, other.text)
    }
}

extension SymbolGraph.Symbol {
    var name: String { pathComponents.joined(separator: ".") }

    private var isFunction: Bool {
        ["swift.func", "swift.func.op", "swift.method", "swift.type.method"].contains(kind.identifier)
    }

    private var hasParameters: Bool {
        isFunction || ["swift.init", "swift.subscript", "swift.type.subscript"].contains(kind.identifier)
    }

    private var parameters: [String] {
        hasParameters ? (functionSignature?.parameters ?? []).map { $0.internalName ?? $0.name } : []
    }

    private var returnsValue: Bool {
        let type = (functionSignature?.returns ?? []).map(\.spelling).joined()
        return isFunction && !["", "()", "Void"].contains(type)
    }

    /// Whether the function throws by itself, and not only what a closure throws.
    private var isThrowing: Bool {
        let declaration = declarationFragments.map(\.spelling).joined()
        guard hasParameters else { return declaration.contains(/\{[^}]*\bthrows\b[^}]*\}/) }
        // The part after the parameters, which are in the outermost parentheses.
        var depth = 0
        var outside = ""
        for character in declaration {
            if character == "(" { depth += 1 }
            if depth == 0 { outside.append(character) }
            if character == ")" { depth -= 1 }
        }
        let effects = outside.prefix(upTo: outside.firstRange(of: "->")?.lowerBound ?? outside.endIndex)
        return effects.contains(/\bthrows\b/)
    }

    /// Returns the missing parts of the symbol's documentation.
    ///
    /// - Parameter isImplementation: Whether the symbol implements a requirement of a protocol, which describes parameters,
    ///   result and errors.
    func gaps(isImplementation: Bool) -> [String] {
        let comment = Comment(docComment?.lines.map(\.text) ?? [])
        var gaps = comment.hasSummary ? [] : ["has no summary"]
        if isImplementation { return gaps }
        gaps += parameters.filter { $0 != "_" && !comment.parameters.contains($0) }
            .map { "does not document the parameter ‘\($0)’" }
        if returnsValue, !comment.hasReturns { gaps.append("does not document its result") }
        if isThrowing, comment.throwing == nil { gaps.append("does not document its errors") }
        if isThrowing, comment.throwing != nil, !comment.namesErrors { gaps.append("names no error that it throws") }
        return gaps
    }
}

/// The gaps of all symbols with a location in the sources, except those that inherit their documentation: a requirement
/// of a protocol is checked where it is declared, and other packages document theirs.
func findGaps(_ graphs: [SymbolGraph], root: String) -> (gaps: [Gap], count: Int) {
    var symbols: [String: SymbolGraph.Symbol] = [:]
    for symbol in graphs.flatMap(\.symbols) { symbols[symbol.identifier.precise] = symbol }
    var origins: [String: String] = [:]
    for relationship in graphs.flatMap(\.relationships) {
        if let origin = relationship.sourceOrigin { origins[relationship.source] = origin.identifier }
    }

    func inheritsDocumentation(_ symbol: SymbolGraph.Symbol) -> Bool {
        guard let origin = origins[symbol.identifier.precise] else { return false }
        guard let requirement = symbols[origin], let comment = symbol.docComment else { return true }
        return comment.uri == requirement.docComment?.uri
            && comment.lines.first?.range?.start.line == requirement.docComment?.lines.first?.range?.start.line
    }

    var gaps: [Gap] = []
    var count = 0
    for symbol in symbols.values {
        guard let location = symbol.location, !inheritsDocumentation(symbol) else { continue }
        count += 1
        let path = URL(string: location.uri)?.path ?? location.uri
        let file = path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
        gaps += symbol.gaps(isImplementation: origins[symbol.identifier.precise] != nil).map {
            Gap(file: file, line: location.position.line + 1, symbol: symbol.name, text: $0)
        }
    }
    return (gaps.sorted(), count)
}

/// The types, functions, and macros that a module's page does not list under its topics.
func findUnlisted(_ graphs: [SymbolGraph], page: String, root: String) throws -> [Gap] {
    let text = try String(contentsOf: URL(fileURLWithPath: page), encoding: .utf8)
    let listed = Set(text.matches(of: /(?m)^- ``([^`]+?)(?:-[0-9a-z]+)?``$/).map { String($0.output.1) })
    let names = Set(graphs.flatMap(\.symbols).filter { $0.pathComponents.count == 1 }.map(\.name))
    let file = page.hasPrefix(root + "/") ? String(page.dropFirst(root.count + 1)) : page
    return names.subtracting(listed).map { Gap(file: file, line: 1, symbol: $0, text: "is not listed under Topics") }
}

// MARK: The program

/// For each folder of graphs with the page of its module: `undocumented ROOT [GRAPHS PAGE]…`; a page may be empty.
func run(_ arguments: [String]) throws -> Int32 {
    let root = arguments[0]
    var all: [SymbolGraph] = []
    var gaps: [Gap] = []
    for index in stride(from: 1, to: arguments.count, by: 2) {
        let folder = URL(fileURLWithPath: arguments[index])
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
        func decode(_ file: URL) throws -> SymbolGraph {
            try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
        }
        let graphs = try files.map(decode)
        guard graphs.contains(where: { !$0.symbols.isEmpty }) else {
            print("error: there are no symbols in \(folder.path)")
            return 1
        }
        all += graphs
        // Extensions of types in other modules are in graphs with an `@` in their names, and have no pages.
        let own = try files.filter { !$0.lastPathComponent.contains("@") }.map(decode)
        if !arguments[index + 1].isEmpty {
            gaps += try findUnlisted(own, page: arguments[index + 1], root: root)
        }
    }
    let found = findGaps(all, root: root)
    gaps = (gaps + found.gaps).sorted()
    for gap in gaps { print("\(gap.file):\(gap.line): error: \(gap.symbol) \(gap.text)") }

    var counts: [String: Int] = [:]
    for gap in gaps { counts[gap.file.split(separator: "/").prefix(2).joined(separator: "/"), default: 0] += 1 }
    for (folder, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(folder): \(count)") }
    print("\(found.count) public declarations, \(gaps.count) gaps in their documentation")
    return gaps.isEmpty ? 0 : 1
}

exit(try run(Array(CommandLine.arguments.dropFirst())))
