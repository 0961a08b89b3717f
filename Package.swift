// swift-tools-version: 6.3

import CompilerPluginSupport
import Foundation
import PackageDescription

// MARK: SwiftSyntax
//
// The macros require it. See Documentation/Design/0007-macros.md.

/// Whether another package depends on this one by version or branch. SwiftPM then allows no unsafe flags, and the
/// dependency must not fetch anything that was not requested.
let isCheckout: Bool = {
    let package = URL(fileURLWithPath: Context.packageDirectory)
    let folder = package.deletingLastPathComponent()
    func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
    // When SwiftPM resolves versions, it reads the manifest from a repository, without other files.
    if !exists(package.appendingPathComponent("Package.swift")) { return true }
    // SwiftPM keeps its repositories next to the checkouts. The other folder is that of a registry.
    let repositories = folder.deletingLastPathComponent().appendingPathComponent("repositories")
    return (folder.lastPathComponent == "checkouts" && exists(repositories))
        || Context.packageDirectory.contains("/registry/downloads/")
}()

/// The folder with the SwiftSyntax modules of the toolchain that evaluates this manifest, if it includes them.
let toolchainSyntax: String? = {
    guard !isCheckout, Context.environment["CHRONICLE_SWIFT_SYNTAX"] != "package",
        // Not `String(contentsOfFile:)`, which reads only the first page of a file in /proc.
        let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
    else { return nil }
    // The manifest links to the library of the toolchain that builds it, which may not be the `swift` in the PATH.
    let manifestAPI = "/pm/ManifestAPI/libPackageDescription.so"
    let library = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix(manifestAPI) }
    guard let library, let start = library.firstIndex(of: "/") else { return nil }
    let host = library[start...].dropLast(manifestAPI.count) + "/host"
    let isComplete = ["SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion", "SwiftCompilerPluginMessageHandling"]
        .allSatisfy { FileManager.default.fileExists(atPath: "\(host)/\($0).swiftmodule") }
    return isComplete ? String(host) : nil
}()

let syntaxProducts = [
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftSyntaxMacroExpansion",
    "SwiftParser", "SwiftBasicFormat",
]

let syntaxPackages: [Package.Dependency] =
    toolchainSyntax == nil
    ? [.package(url: "https://github.com/swiftlang/swift-syntax.git", "603.0.0"..<"604.0.0")] : []

let syntaxDependencies: [Target.Dependency] =
    toolchainSyntax == nil
    ? (syntaxProducts + ["SwiftCompilerPlugin"]).map {
        .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
    } : []

let syntaxSettings: [SwiftSetting] =
    toolchainSyntax.map { [.unsafeFlags(["-I", $0])] } ?? []

let syntaxLinking: [LinkerSetting] =
    toolchainSyntax.map { host in
        [.unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host])]
            + (syntaxProducts + ["SwiftCompilerPluginMessageHandling"]).map { .linkedLibrary($0) }
    } ?? []

// MARK: The package

/// Imports are internal unless declared `public import` or `package import`, so that the compiler enforces which
/// modules are visible through others.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "chronicle",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Chronicle", targets: ["Chronicle"]),
        .library(name: "ChroniclePostgres", targets: ["ChroniclePostgres"]),
        .library(name: "ChronicleSeals", targets: ["ChronicleSeals"]),
        .library(name: "ChronicleSQL", targets: ["ChronicleSQL"]),
        .library(name: "ChronicleAppleStore", targets: ["ChronicleAppleStore"]),
        .library(name: "ChronicleTesting", targets: ["ChronicleTesting"]),
        .library(name: "ChronicleConformance", targets: ["ChronicleConformance"]),
        .executable(name: "chronicle", targets: ["ChronicleCLI"]),
    ],
    traits: [
        .trait(name: "Macros", description: "@Model, @ModelActor, #Unique and #Index"),
        .trait(name: "Postgres", description: "The store on PostgreSQL, which requires libpq"),
        .trait(
            name: "Seals",
            description: "Sealed history, which requires libcrypto of OpenSSL 3, or CryptoKit"),
        .default(enabledTraits: isCheckout ? [] : ["Macros"]),
    ],
    dependencies: syntaxPackages,
    targets: [
        // The only module that imports sqlite3.h.
        .systemLibrary(
            name: "ChronicleCSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        // Connections, statements, result codes. Nothing in it is public.
        .target(name: "ChronicleSQLite", dependencies: ["ChronicleCSQLite"], swiftSettings: settings),
        // Models, contexts, containers, store and history protocols. No SQL, no files.
        .target(name: "ChronicleCore", swiftSettings: settings),
        // Predicates, fetches and updates as SQL, for authors of SQL stores. No database library.
        .target(name: "ChronicleSQL", dependencies: ["ChronicleCore"], swiftSettings: settings),
        // What the two stores on SQL databases share. No database library; nothing in it is public.
        .target(
            name: "ChronicleSQLStore", dependencies: ["ChronicleCore", "ChronicleSQL"], swiftSettings: settings),
        // The SQLite store.
        .target(
            name: "ChronicleStore",
            dependencies: ["ChronicleCore", "ChronicleSQL", "ChronicleSQLStore", "ChronicleSQLite"],
            swiftSettings: settings),
        // The only module that imports libpq-fe.h.
        .systemLibrary(
            name: "ChronicleCPostgres",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        // The PostgreSQL store. Empty without the trait, so that a build without it needs no libpq.
        .target(
            name: "ChroniclePostgres",
            dependencies: [
                "ChronicleCore", "ChronicleSQL", "ChronicleSQLStore",
                .target(name: "ChronicleCPostgres", condition: .when(traits: ["Postgres"])),
            ],
            swiftSettings: settings),
        // The only module that imports the headers of OpenSSL. Apple systems use CryptoKit.
        .systemLibrary(
            name: "ChronicleCCrypto",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        // Sealing and verifying the history. Empty without the trait, so that a build without it needs no libcrypto.
        .target(
            name: "ChronicleSeals",
            dependencies: [
                "ChronicleCore",
                .target(
                    name: "ChronicleCCrypto", condition: .when(platforms: [.linux, .android], traits: ["Seals"])),
            ],
            swiftSettings: settings),
        // Stores of SwiftData and Core Data, for reading. No framework of Apple.
        .target(
            name: "ChronicleAppleStore",
            dependencies: ["ChronicleCore", "ChronicleSQL", "ChronicleSQLStore", "ChronicleStore", "ChronicleSQLite"],
            swiftSettings: settings),
        // A compiler plug-in that generates the code of model classes.
        .macro(
            name: "ChronicleMacros", dependencies: syntaxDependencies, swiftSettings: settings + syntaxSettings,
            linkerSettings: syntaxLinking),
        // The module that programs import.
        .target(
            name: "Chronicle",
            dependencies: [
                "ChronicleCore", "ChronicleStore",
                .target(name: "ChronicleMacros", condition: .when(traits: ["Macros"])),
            ],
            swiftSettings: settings),
        // The rules for stores, for developers of custom stores. No test framework.
        .target(name: "ChronicleConformance", dependencies: ["Chronicle"], swiftSettings: settings),
        // The rules as tests for Swift Testing.
        .target(name: "ChronicleTesting", dependencies: ["ChronicleConformance"], swiftSettings: settings),
        // A small HTTP server for local connections, which the tool and an example use. Not a product: its public declarations can be used in
        // this package only.
        .target(name: "ChronicleHTTP", swiftSettings: settings),
        // The command-line tool. Its product is called `chronicle`, which a target cannot be: on file systems that
        // ignore case, it would be the same folder as `Chronicle`.
        .executableTarget(
            name: "ChronicleCLI",
            dependencies: ["Chronicle", "ChronicleAppleStore", "ChronicleHTTP", "ChroniclePostgres", "ChronicleSeals"],
            // The parts of the timeline are compiled into the program, so that it needs no file beside it.
            resources: [
                "page.html", "page.css", "data.js", "filters.js", "list.js", "state.js", "parts.js", "details.js",
                "table.js", "lanes.js", "controls.js",
            ].map { .embedInCode("Timeline/Page/\($0)") },
            swiftSettings: settings),
        // MARK: Tests; Tests/README.md describes them.
        .testTarget(
            name: "ChronicleSQLiteTests",
            dependencies: ["ChronicleSQLite", "ChronicleCSQLite", "ChronicleTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleCoreTests", dependencies: ["Chronicle", "ChronicleTestSupport", "ExampleStore"],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleSQLTests",
            dependencies: ["Chronicle", "ChronicleSQL", "ChronicleSQLStore", "ChronicleTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleStoreTests",
            dependencies: [
                "Chronicle", "ChronicleCSQLite", "ChronicleContextModel", "ChroniclePostgres", "ChronicleSQL",
                "ChronicleSQLStore", "ChronicleSQLite", "ChronicleTestSupport", "ChronicleTestWorker", "ExampleStore",
            ],
            exclude: ["Upgrade/Files", "Predicates/Generated"], swiftSettings: settings),
        .testTarget(
            name: "ChronicleSealsTests",
            dependencies: [
                "Chronicle", "ChronicleCore", "ChronicleSeals", "ChronicleSQLite", "ChronicleStore",
                "ChronicleTestSupport", "ChronicleTestWorker", "SealedTrips",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleAppleStoreTests",
            dependencies: [
                "Chronicle", "ChronicleAppleStore", "ChronicleSQLite", "ChronicleTestSupport", "ChronicleTesting",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleProcessTests",
            dependencies: ["Chronicle", "ChronicleSQLite", "ChronicleTestSupport", "ChronicleTestWorker"],
            swiftSettings: settings),
        .testTarget(
            name: "ChroniclePostgresTests",
            dependencies: [
                "Chronicle", "ChronicleConformanceWorker", "ChronicleContextModel", "ChronicleCore",
                "ChroniclePostgres", "ChronicleSQLStore",
                "ChronicleTesting", "ChronicleTestSupport", "ChronicleTestWorker",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleCLITests",
            dependencies: [
                "ChronicleCLI", "Chronicle", "ChronicleAppleStore", "ChronicleHTTP", "ChroniclePostgres",
                "ChronicleSeals",
                "ChronicleTestSupport",
                "ChronicleTestWorker",
            ],
            exclude: ["Golden"], swiftSettings: settings),
        .testTarget(
            name: "ChronicleMacrosTests", dependencies: ["Chronicle", "ChronicleTestSupport"], swiftSettings: settings),
        // The documentation.
        .testTarget(
            name: "ChronicleTests",
            dependencies: [
                "Chronicle", "ChronicleSQL", "ChronicleSeals", "ChronicleTestSupport", "FirstSteps", "Quickstart",
                "ChronicleCLI",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ChronicleConformanceTests",
            dependencies: ["ChronicleTesting", "ChronicleTestSupport", "ExampleStore", "ChronicleConformanceWorker"],
            swiftSettings: settings),
        // Shared by tests and programs, so without a test framework.
        .target(
            name: "ChronicleTestSupport",
            dependencies: [
                "Chronicle", "ChronicleSQLite",
                .target(name: "ChronicleCPostgres", condition: .when(traits: ["Postgres"])),
            ],
            path: "Tests/Support", swiftSettings: settings),
        // Random operations on contexts, compared with a reference. Shared by a test and a program.
        .target(
            name: "ChronicleContextModel", dependencies: ["Chronicle", "ChronicleSQLite", "ChronicleTestSupport"],
            path: "Tests/ContextModel", swiftSettings: settings),
        // The example store, for tests. In its own package, its module has another name.
        .target(
            name: "ExampleStore", dependencies: ["Chronicle"], path: "Examples/MemoryStore/Sources/MemoryStore"),
        // The program of the README: `swift run Quickstart`.
        .executableTarget(
            name: "Quickstart", dependencies: ["Chronicle"], path: "Examples/Quickstart", swiftSettings: settings),
        // The program of the first tutorial: `swift run FirstSteps`.
        .executableTarget(
            name: "FirstSteps", dependencies: ["Chronicle"], path: "Examples/FirstSteps", swiftSettings: settings),
        // A server: `swift run TripServer`. It sees public declarations only, like the package of a user.
        .executableTarget(
            name: "TripServer", dependencies: ["Chronicle", "ChronicleHTTP"], path: "Examples/TripServer/Sources",
            packageAccess: false, swiftSettings: settings),
        // Heads of a sealed history in a git repository: `swift run --traits default,Seals SealedTrips`.
        .executableTarget(
            name: "SealedTrips", dependencies: ["Chronicle", "ChronicleSeals"], path: "Examples/SealedTrips/Sources",
            packageAccess: false, swiftSettings: settings),
        // The process that the rules kill, and faulty stores for the rules about recovery.
        .executableTarget(
            name: "ChronicleConformanceWorker", dependencies: ["ChronicleConformance", "ChroniclePostgres"],
            path: "Tests/Programs/ConformanceWorker", swiftSettings: settings),
        // A second process for the tests, which opens, writes, reads, and is killed.
        .executableTarget(
            name: "ChronicleTestWorker",
            dependencies: [
                "Chronicle", "ChroniclePostgres", "ChronicleSQLite", "ChronicleSeals", "ChronicleTestSupport",
            ],
            path: "Tests/Programs/Worker", swiftSettings: settings),
        // Mutates store files and uses them: `make fuzz`.
        .executableTarget(
            name: "ChronicleFuzz",
            dependencies: ["Chronicle", "ChronicleAppleStore", "ChronicleCSQLite", "ChronicleTestSupport"],
            path: "Tests/Programs/Fuzz", swiftSettings: settings),
        // Interrupts operations by power failures, failing calls and kills: `make faults`.
        .executableTarget(
            name: "ChronicleFaults",
            dependencies: [
                "Chronicle", "ChronicleFaultShim", "ChronicleSQLite", "ChronicleSeals", "ChronicleStore",
                "ChronicleTestSupport",
            ],
            path: "Tests/Programs/Faults", exclude: ["Shim"], swiftSettings: settings),
        // Counts, records and fails the calls of the system; see FaultShim.h.
        .target(
            name: "ChronicleFaultShim", dependencies: ["ChronicleCSQLite"], path: "Tests/Programs/Faults/Shim",
            publicHeadersPath: "."),
        // Kills and restarts processes that share a file: `make soak`.
        .executableTarget(
            name: "ChronicleSoak", dependencies: ["Chronicle", "ChronicleSeals", "ChronicleTestSupport"],
            path: "Tests/Programs/Soak", swiftSettings: settings),
        // Kills writers, consumers and servers of a PostgreSQL database: `make chaos`.
        .executableTarget(
            name: "ChronicleChaos", dependencies: ["Chronicle", "ChroniclePostgres", "ChronicleTestSupport"],
            path: "Tests/Programs/Chaos", swiftSettings: settings),
        // Runs random operations on contexts for as long as you want: `make model`.
        .executableTarget(
            name: "ChronicleModel",
            dependencies: ["Chronicle", "ChronicleContextModel", "ChroniclePostgres", "ChronicleTestSupport"],
            path: "Tests/Programs/ContextModel", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// For sources with `import SwiftData`, on platforms without a module of that name.
#if !canImport(Darwin)
    package.products.append(.library(name: "SwiftData", targets: ["SwiftData"]))
    package.targets += [
        .target(name: "SwiftData", dependencies: ["Chronicle"], swiftSettings: settings),
        // A store that is written for SwiftData, in Swift 5 mode.
        .target(
            name: "JSONStore", dependencies: ["SwiftData"], path: "Tests/Fixtures/JSONStore",
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
    package.targets.first { $0.name == "ChronicleConformanceTests" }?.dependencies.append("JSONStore")
#endif

// Builds only some of the test targets and what they depend on, which takes less time:
// CHRONICLE_TESTS='ChronicleCoreTests ChronicleProcessTests'.
if let names = Context.environment["CHRONICLE_TESTS"]?.split(separator: " ") {
    var wanted: Set<String> = []
    func add(_ name: String) {
        guard let target = package.targets.first(where: { $0.name == name }), wanted.insert(name).inserted else {
            return
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): add(name)
            default: break
            }
        }
    }
    for name in names { add(String(name)) }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll { product in
        switch product {
        case let library as Product.Library: !wanted.isSuperset(of: library.targets)
        case let executable as Product.Executable: !wanted.isSuperset(of: executable.targets)
        default: true
        }
    }
}
