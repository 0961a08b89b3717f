// swift-tools-version: 6.3

import Foundation
import PackageDescription

// Expansions of the macros: the sources of the plug-in, built as a library. This is a separate package, because SwiftPM
// would build everything that is tested together with a plug-in a second time for the host.

/// As in the manifest of the main package.
let toolchainSyntax: String? = {
    guard Context.environment["CHRONICLE_SWIFT_SYNTAX"] != "package",
        let data = try? FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
    else { return nil }
    let manifestAPI = "/pm/ManifestAPI/libPackageDescription.so"
    let library = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix(manifestAPI) }
    guard let library, let start = library.firstIndex(of: "/") else { return nil }
    let host = library[start...].dropLast(manifestAPI.count) + "/host"
    return FileManager.default.fileExists(atPath: "\(host)/SwiftSyntaxMacroExpansion.swiftmodule") ? String(host) : nil
}()

let modules = [
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftSyntaxMacroExpansion",
    "SwiftParser", "SwiftBasicFormat",
]
let dependencies: [Target.Dependency] =
    toolchainSyntax == nil ? modules.map { .product(name: $0, package: "swift-syntax") } : []
let search: [SwiftSetting] = toolchainSyntax.map { [.unsafeFlags(["-I", $0])] } ?? []
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + search
let linking: [LinkerSetting] =
    toolchainSyntax.map { host in
        [.unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host])] + modules.map { .linkedLibrary($0) }
    } ?? []

let package = Package(
    name: "MacroTests",
    platforms: [.macOS(.v15)],
    dependencies: toolchainSyntax == nil
        ? [.package(url: "https://github.com/swiftlang/swift-syntax.git", "603.0.0"..<"604.0.0")] : [],
    targets: [
        // A symbolic link to the sources of the main package.
        .target(
            name: "ChronicleMacros", dependencies: dependencies, exclude: ["Plugin"], swiftSettings: settings,
            linkerSettings: linking),
        .testTarget(
            name: "ChronicleMacrosTests", dependencies: ["ChronicleMacros"] + dependencies, swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
