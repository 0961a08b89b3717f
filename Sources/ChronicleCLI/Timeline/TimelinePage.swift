import Foundation

/// The parts are resources in `Page`, which are compiled into the program.
enum TimelinePage {
    /// The parts before and after the data. Only scripts and styles with the nonce, which is safe in an attribute, are
    /// executed, so that no value in the data can become a script.
    static func parts(nonce: String) -> (before: String, after: String) {
        // The nonce is the last one, because its placeholder is in the page only. No part contains placeholders of others.
        let page = text(PackageResources.page_html)
            .replacing("{{STYLE}}", with: text(PackageResources.page_css))
            .replacing("{{SCRIPT}}", with: script)
            .replacing("{{NONCE}}", with: nonce)
        let parts = page.components(separatedBy: "{{DATA}}")
        return (parts[0], parts.dropFirst().joined())
    }

    /// Returns 128 random bits.
    static func makeNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next(), radix: 36) }.joined()
    }

    /// `frame-ancestors` is only possible in a header.
    static func policy(nonce: String) -> String {
        "default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; img-src data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }

    private static var script: String {
        let parts = [
            PackageResources.data_js, PackageResources.filters_js, PackageResources.list_js,
            PackageResources.state_js, PackageResources.parts_js, PackageResources.details_js,
            PackageResources.table_js,
            PackageResources.lanes_js, PackageResources.controls_js,
        ]
        return "'use strict';\n(() => {\nconst started = performance.now();\n" + parts.map(text).joined() + "})();\n"
    }

    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }
}
