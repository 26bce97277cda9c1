/* names_not.c - the words of lines that name nobody. */
#include "classifiers/tagger_features.h"
#include "classifiers/train/tagger/names_made.h"

/* Programs, distributions, writing systems. */
static const char *const programs[] = {
    "Debian", "Haddock", "Hunspell", "PAM", "Webkit", "Homebrew", "Adobe", "Ellipsoid", "Marshal", "Linker", "Binder", "Pkgs", "Travis",
    "Britney", "Sid", "Deb", "Xlib", "Doxygen", "Javadoc", "Sphinx", "Hackage", "Cabal", "Stack", "Maven", "Gradle", "Jenkins", "Docker",
    "Vagrant", "Ansible", "Puppet", "Chef", "Salt", "Nagios", "Zabbix", "Grafana", "Kibana", "Logstash", "Elastic", "Solr", "Lucene",
    "Tika", "Hadoop", "Spark", "Kafka", "Cassandra", "Redis", "Mongo", "Maria", "Postgres", "Oracle", "Sybase", "Django", "Flask",
    "Celery", "Pyramid", "Bottle", "Jinja", "Mako", "Rails", "Sinatra", "Capistrano", "Rake", "Bundler", "Laravel", "Symfony", "Doctrine",
    "Twig", "Composer", "Drupal", "Joomla", "Hugo", "Jekyll", "Pelican", "Ghost", "Angular", "React", "Ember", "Svelte", "Babel", "Bower",
    "Grunt", "Gulp", "Mocha", "Jasmine", "Karma", "Chai", "Jest", "Sinon", "Electron", "Cordova", "Kotlin", "Scala", "Clojure", "Julia",
    "Ruby", "Perl", "Ada", "Pascal", "Haskell", "Erlang", "Elixir", "Crystal", "Nim", "Eiffel", "Fortran", "Octave", "Sage", "Maxima",
    "Gnuplot", "Blender", "Gimp", "Krita", "Inkscape", "Scribus", "Audacity", "Ardour", "Lilypond", "Denemo", "Frescobaldi", "Rosegarden",
    "Marble", "Kate", "Dolphin", "Konsole", "Okular", "Amarok", "Kontact", "Evolution", "Nautilus", "Totem", "Rhythmbox", "Epiphany",
    "Iceweasel", "Firefox", "Thunderbird", "Lynx", "Konqueror", "Opera", "Vivaldi", "Chrome", "Apache", "Nginx", "Tomcat", "Jetty",
    "Caddy", "Varnish", "Squid", "Postfix", "Exim", "Dovecot", "Courier", "Mailman", "Samba", "Kerberos", "Heimdal", "Avahi", "Bonjour",
    "Bluez", "Alsa", "Jack", "Wayland", "Mesa", "Vulkan", "Cairo", "Pango", "Freetype", "Harfbuzz", "Valgrind", "Bison", "Yacc", "Lex",
    "Emacs", "Vim", "Nano", "Pico", "Joe", "Ed", "Tilde", "Mozilla", "Hurd", "Darwin", "Solaris", "Ubuntu", "Fedora", "Mandriva",
    "Gentoo", "Arch", "Slackware", "Knoppix", "Jessie", "Stretch", "Buster", "Lenny", "Etch", "Sarge", "Woody", "Potato", "Squeeze",
    "Wheezy", "Bullseye", "Bookworm", "Trixie", "Dogra", "Modi", "Brahmi", "Avestan", "Nushu", "Khojki", "Oriya", "Bopomofo", "Tagbanwa",
    "Hanunoo", "Devanagari", "Gurmukhi", "Tamil", "Telugu", "Malayalam", "Sinhala", "Thai", "Khmer", "Tibetan", "Mongolian", "Glagolitic",
    "Ogham", "Runic", "Deseret", "Osage", "Lisu", "Vai", "Bamum", "Batak", "Rejang", "Lepcha", "Limu", "Chakma", "Sharada", "Takri",
    "Tirhuta", "Siddham", "Grantha", "Newa", "Kaithi", "Mandaic", "Samaritan", "Syriac", "Thaana",
    NULL};

/* Persons after whom methods are called. */
static const char *const eponyms[] = {
    "Hilbert", "Lambert", "Mercator", "Eckert", "Anderson", "Darling", "Kenward", "Roger", "Wilcoxon", "Mann", "Whitney", "Kolmogorov",
    "Smirnov", "Cramer", "Mises", "Shapiro", "Wilk", "Bartlett", "Levene", "Fisher", "Pearson", "Spearman", "Kendall", "Bayes", "Markov",
    "Monte", "Gibbs", "Metropolis", "Hastings", "Newton", "Raphson", "Gauss", "Jordan", "Seidel", "Jacobi", "Lanczos", "Arnoldi",
    "Krylov", "Cholesky", "Householder", "Givens", "Gram", "Schmidt", "Fourier", "Laplace", "Hankel", "Radon", "Hough", "Walsh",
    "Hadamard", "Haar", "Gabor", "Wiener", "Kalman", "Butterworth", "Chebyshev", "Bessel", "Cauer", "Legendre", "Hermite", "Laguerre",
    "Gegenbauer", "Zernike", "Bernstein", "Bezier", "Hausdorff", "Lebesgue", "Riemann", "Stieltjes", "Banach", "Sobolev", "Cauchy",
    "Lipschitz", "Taylor", "Maclaurin", "Euler", "Runge", "Kutta", "Adams", "Bashforth", "Verlet", "Simpson", "Romberg", "Dirichlet",
    "Neumann", "Robin", "Poisson", "Boltzmann", "Maxwell", "Planck", "Einstein", "Bose", "Fermi", "Dirac", "Pauli", "Ising", "Potts",
    "Heisenberg", "Schrodinger", "Hamilton", "Lagrange", "Galois", "Abel", "Cayley", "Frobenius", "Hasse", "Sylow", "Noether", "Hopf",
    "Euclid", "Fermat", "Mersenne", "Carmichael", "Miller", "Rabin", "Pollard", "Diffie", "Hellman", "Merkle", "Damgard", "Feistel",
    "Huffman", "Lempel", "Ziv", "Welch", "Burrows", "Wheeler", "Hamming", "Reed", "Solomon", "Viterbi", "Levenshtein", "Jaro", "Winkler",
    "Knuth", "Morris", "Pratt", "Boyer", "Moore", "Dijkstra", "Floyd", "Warshall", "Bellman", "Ford", "Kruskal", "Prim", "Voronoi",
    "Delaunay", "Cassini", "Albers", "Miller", "Robinson", "Bonne", "Ney", "Clarke", "Helmert", "Young", "Hooke", "Reynolds", "Mach",
    "Prandtl", "Nusselt", "Celsius", "Kelvin", "Avogadro", "Michaelis", "Menten", "Hill", "Hardy", "Weinberg", "Jukes", "Cantor",
    "Kimura", "Felsenstein", "Needleman", "Wunsch", "Smith", "Waterman", "Gini", "Shannon", "Tukey", "Box", "Cox", "Akaike", "Schwarz",
    NULL};

/* Typefaces. */
static const char *const typefaces[] = {
    "Garamond", "Baskerville", "Caslon", "Bodoni", "Helvetica", "Palatino", "Lucida", "Jenson", "Sabon", "Bembo", "Didot", "Futura",
    "Frutiger", "Univers", "Optima", "Rockwell", "Gill", "Clarendon", "Perpetua", "Centaur", "Minion", "Myriad", "Georgia", "Verdana",
    "Tahoma", "Arial", "Courier", "Times", "Consolas", "Cambria", "Calibri", "Candara", "Corbel", "Constantia", "Franklin", "Goudy",
    "Janson", "Walbaum", "Fournier", "Bell", "Ehrhardt", "Joanna", "Lydian", "Cooper", "Peignot", "Zapfino", "Trajan", "Charter",
    "Utopia", "Nimbus", "Roboto", "Lato", "Inconsolata", "Junicode", "Manjari", "Porson", "Libertine", "Loma", "Garuda", "Kinnari",
    "Norasi", "Sawasdee", "Waree", "Umpush", "Purisa", "Dejavu", "Bitstream", "Vera", "Liberation", "Terminus", "Fira", "Iosevka",
    "Cantarell",
    NULL};

static const char *const dishes[] = {
    "Eggs Benedict", "Beef Wellington", "Caesar Salad", "Waldorf Salad", "Pizza Margherita", "Peach Melba", "Crepes Suzette",
    "Oysters Rockefeller", "Chicken Kiev", "Chicken Marengo", "Beef Stroganoff", "Sachertorte", "Tarte Tatin", "Earl Grey", "Sloppy Joe",
    "Johnny Cake", "Victoria Sponge", "Bloody Mary", "Tom Collins", "Shirley Temple", "Harvey Wallbanger", "Rob Roy", "Margarita",
    "Bellini", "Carpaccio", "Pavlova", "Charlotte Russe", "Bakewell Tart", "Cobb Salad", "Graham Crackers", "Granny Smith",
    "Bismarck Herring", "Napoleon", "Madeleine",
    NULL};

/* Words of headings, many of them surnames, too. */
static const char *const headings[] = {
    "Overview", "Settings", "Options", "Summary", "Contents", "Index", "Preface", "Appendix", "Chapter", "Section", "Usage", "Notes",
    "Copyright", "Rules", "Notice", "Grant", "License", "Terms", "Mark", "Case", "Page", "Bill", "Will", "Rich", "Dean", "Guy", "Pat",
    "Skip", "Major", "Baker", "Cook", "Carpenter", "Mason", "Potter", "Fisher", "Hunter", "Farmer", "Butler", "Marshal", "Bishop",
    "Knight", "Abbot", "Prior", "Constable", "Sheriff", "Warden", "Forest", "Wood", "Stone", "Hill", "Brook", "Lake", "Field", "Marsh",
    "Heath", "Banks", "Rivers", "Bush", "Reed", "Rose", "Lily", "Violet", "Iris", "Daisy", "Ivy", "Holly", "Hazel", "Olive", "Ginger",
    "Basil", "Rosemary", "Sage", "Amber", "Ruby", "Pearl", "Opal", "Jade", "Crystal", "Summer", "Autumn", "Dawn", "May", "June", "August",
    "April", "Faith", "Hope", "Grace", "Joy", "Charity", "Mercy", "Victor", "Ray", "Cliff", "Dale", "Glen", "Lance", "Miles", "Norm",
    "Pierce", "Chase", "Drew", "Wade", "Rusty", "Sandy", "Robin", "Martin", "Jay", "Drake", "Wolf", "Fox", "Lamb", "Bull", "Finch",
    "Swift", "Crane", "Hawk", "Partridge", "Nightingale", "Young", "Long", "Short", "Small", "Little", "Strong", "Wise", "Good", "Best",
    "Sharp", "Bright", "Moody", "Savage", "Gay", "Noble", "Frank", "Ernest", "Earnest", "Rank", "Count", "Earl", "Duke", "Baron",
    "Prince", "King", "Queen", "Royal", "Crown", "Castle", "Palace", "Church", "Temple", "Chapel", "Cross", "Bell", "Book", "Song",
    "Dance", "Game", "Ball", "Park", "Garden", "Street", "Lane", "Road", "Bridge", "Gate", "House", "Hall", "Cellar", "Kitchen", "Table",
    "Chair", "Lamp", "Clock", "Watch", "Ring", "Chain", "Rope", "Net", "Box", "Bag", "Cup", "Glass", "Bottle", "Plate", "Fork", "Spoon",
    "Knife", "Hammer", "Nail", "Saw", "Axe", "Plough", "Wheel", "Cart", "Wagon", "Ship", "Boat", "Anchor", "Sail", "Mast",
    NULL};

/* German nouns. */
static const char *const nouns[] = {
    "Feld", "Datum", "Datei", "Verzeichnis", "Fehler", "Paket", "Quelle", "Ausgabe", "Eingabe", "Zeile", "Spalte", "Wert", "Name",
    "Nutzer", "Rechner", "Netz", "Dienst", "Schlüssel", "Kennwort", "Anfrage", "Antwort", "Meldung", "Hinweis", "Warnung", "Vorgabe",
    "Einstellung", "Fenster", "Ansicht", "Leiste", "Knopf", "Zeiger", "Maus", "Taste", "Druck", "Bild", "Farbe", "Schrift", "Größe",
    "Breite", "Höhe", "Länge", "Winkel", "Kurve", "Fläche", "Punkt", "Linie", "Kreis", "Kugel", "Würfel", "Zahl", "Ziffer", "Menge",
    "Folge", "Reihe", "Summe", "Anteil", "Grenze", "Regel", "Ausnahme", "Bedingung", "Schleife", "Zweig", "Ast", "Baum", "Wurzel",
    "Blatt", "Knoten", "Kante", "Stapel", "Liste", "Tabelle", "Karte", "Ort", "Land", "Stadt", "Straße", "Haus", "Tür", "Dach", "Wand",
    "Boden", "Decke", "Keller", "Garten", "Wiese", "Wald", "Berg", "Tal", "Fluss", "See", "Meer", "Insel", "Küste", "Strand", "Hafen",
    "Schiff", "Wagen", "Zug", "Flug", "Reise", "Weg", "Ziel", "Anfang", "Ende", "Mitte", "Rand", "Ecke", "Seite", "Buch", "Brief", "Wort",
    "Satz", "Text", "Sprache", "Laut", "Ton", "Klang", "Lied", "Tanz", "Spiel", "Sieg", "Preis", "Geld", "Kauf", "Handel", "Markt",
    "Ware", "Stück", "Teil", "Ganzes", "Form", "Art", "Weise", "Grund", "Zweck", "Mittel", "Werkzeug", "Hammer", "Säge", "Nagel",
    "Schraube", "Mutter", "Vater", "Kind", "Bruder", "Schwester", "Freund", "Feind", "Herr", "Frau", "Mann", "Mensch", "Tier", "Hund",
    "Katze", "Pferd", "Kuh", "Schwein", "Vogel", "Fisch", "Fliege", "Biene", "Blume", "Gras", "Korn", "Brot", "Wein", "Bier", "Wasser",
    "Salz", "Zucker", "Milch", "Käse", "Fleisch", "Ei", "Apfel", "Birne", "Kirsche", "Nuss", "Jahr", "Monat", "Woche", "Tag", "Stunde",
    "Minute", "Sekunde", "Morgen", "Abend", "Nacht", "Winter", "Sommer", "Herbst", "Frühling", "Sonne", "Mond", "Stern", "Himmel",
    "Erde", "Luft", "Feuer", "Licht", "Schatten", "Wärme", "Kälte", "Regen", "Schnee", "Wind", "Sturm", "Patchen", "Linken", "Bauen",
    "Laden", "Sichern", "Löschen", "Kopieren", "Anlegen", "Rückgabe", "Aufruf", "Umgebung", "Vorlage", "Erweiterung", "Abhängigkeit",
    "Veröffentlichung", "Überprüfung", "Übersetzung", "Fassung",
    NULL};

/* Companies, universities and museums that are called after persons. */
static const char *const houses[] = {
    "Acer", "Adobe", "Amdahl", "Bosch", "Bose", "Bull", "Carnegie Mellon", "Chrysler", "Cisco", "Cray", "Daimler", "Dell", "Disney",
    "Dolby", "Dyson", "Epson", "Ericsson", "Ferranti", "Ford", "Fraunhofer", "Garmin", "Gould", "Hayes", "Heathkit", "Hewlett Packard",
    "Hitachi", "Honda", "Honeywell", "Johns Hopkins", "Kenwood", "Lockheed Martin", "Lucent", "Marconi", "McAfee", "McDonnell Douglas",
    "Mercedes Benz", "Merrill Lynch", "Morgan Stanley", "Motorola", "Nixdorf", "Nortel", "Novell", "Olivetti", "Osborne", "Panasonic",
    "Philips", "Pioneer", "Rockwell", "Rolls Royce", "Siemens", "Sinclair", "Smith Corona", "Sperry", "Sun", "Tandy", "Tektronix", "Tesla",
    "Toshiba", "Toyota", "Tyan", "Wang", "Wolfram", "Xerox", "Yaesu", "Yamaha", "Zeiss", "Zilog", "Ashmolean", "Fitzwilliam", "Getty",
    "Guggenheim", "Peabody", "Pitt Rivers", "Whitney", "Wellcome", "Smithsonian", "Frick", "Courtauld", "Thyssen", "Gates",
    NULL};

/* Parts of the names of characters. */
static const char *const characters[] = {
    "CARON", "TILDE", "DASIA", "PERISPOMENI", "DIALYTIKA", "TONOS", "OXIA", "VARIA", "PSILI", "VRACHY", "MACRON", "BREVE", "CEDILLA",
    "OGONEK", "ACUTE", "GRAVE", "DIAERESIS", "CIRCUMFLEX", "STROKE", "HOOK", "HORN", "ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON",
    "UPSILON", "SIGMA", "OMEGA", "GRADO", "RING", "DOT", "ABOVE", "BELOW", "YPOGEGRAMMENI", "HAMZA", "MADDA", "NUKTA", "VIRAMA",
    "ANUSVARA", "VISARGA", "YA", "ZHE", "KA", "SARA", "MAI",
    NULL};

static void write_one(struct writer *w, const char *const *words)
{
    uint32_t n = 0;

    while (words[n] != NULL) {
        n++;
    }
    made_write_str(w, words[random_below(w->random, n)]);
}

/* A given name in small letters, which is a word in many languages. */
static void write_word(struct writer *w)
{
    size_t from = w->len;

    made_write_span(w, made_one_of(&made_choose_people(w)->given, w->random));
    made_change_case(w->text, from, w->len, false);
}

/* A name of two or three syllables that no list has, of a program nobody has heard of. */
static void write_invented(struct writer *w)
{
    static const char *const fronts[] = {"b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gl", "gr", "h",  "j",  "k", "kl",
                                         "l", "m",  "n", "p",  "pl", "qu", "r", "s",  "sk", "st", "t", "tr", "v", "w", "x", "z", ""};
    static const char *const middles[] = {"a", "e", "i", "o", "u", "ai", "ea", "oo", "io", "y"};
    static const char *const ends[] = {"", "", "b", "ck", "x", "n", "r", "s", "t", "l", "m", "gen", "lib", "kit", "db", "fs", "py", "bot", "tex",
                                       "ware", "mail", "view", "dock", "zip", "TTY", "SQL", "Kit"};
    size_t from = w->len;
    uint32_t n = 1 + random_below(w->random, 2);

    for (uint32_t i = 0; i <= n; i++) {
        made_write_str(w, fronts[random_below(w->random, COUNT(fronts))]);
        made_write_str(w, middles[random_below(w->random, COUNT(middles))]);
    }
    made_write_str(w, ends[random_below(w->random, COUNT(ends))]);
    made_change_case(w->text, from, from + 1, true);
}

bool made_write_not_name(struct writer *w, char slot, uint32_t *label)
{
    static const struct {
        char slot;
        const char *const *words;
        uint32_t label; /* 0: no name of anything */
    } lists[] = {{'K', programs, TAGGER_OTHER_BEGINS}, {'J', eponyms, TAGGER_OTHER_BEGINS}, {'Q', typefaces, TAGGER_OTHER_BEGINS},
                 {'M', dishes, TAGGER_OTHER_BEGINS},   {'Y', headings, 0},                 {'B', nouns, 0},
                 {'Z', characters, 0},                {'V', houses, TAGGER_ORGANISATION_BEGINS}};

    if (slot == 'L') {
        write_word(w);
        *label = 0;
        return true;
    }
    if (slot == 'X') {
        write_invented(w);
        *label = TAGGER_OTHER_BEGINS;
        return true;
    }
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (lists[i].slot == slot) {
            write_one(w, lists[i].words);
            *label = lists[i].label;
            return true;
        }
    }
    return false;
}
