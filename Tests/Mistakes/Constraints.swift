// Diagnostics of the compiler and the macros for constraints; checked by `.ci/mistakes`.

import Chronicle

@Model final class Trip {
    // expected-error@+3 {{cannot convert value of type '[Any]' to expected argument type '[PartialKeyPath<Trip>]'}}
    // expected-error@+2 {{cannot infer key path type from context}}
    // expected-error@+1 {{Trip has no stored property 'nam'}} expected-note@+1 {{use 'name'}}
    #Unique<Trip>([\.nam])
    // expected-error@+2 {{value of type 'Trip' has no member 'place'}}
    // expected-error@+1 {{Trip has no stored property 'place'}}
    #Index<Trip>([\.name], [\.name, \.place])

    var name = ""
}

@Model final class Item {
    #Unique<Item>([\.trip?.name])  // expected-error {{#Unique does not support nested key paths; use 'trip'}}
    #Index<Item>([])  // expected-error {{#Index needs arrays of key paths that are not empty}}

    var trip: Trip?
}

@Model final class Note {
    #Unique<Note>([\.words])  // expected-error {{Note has no stored property 'words'}}

    var text = ""
    var words: [Substring] { text.split(separator: " ") }
}

extension Note {
    #Unique<Note>([\.text])  // expected-error {{#Unique must be declared in the model class}}
}
